import { firstThatAnswers } from '../../client/connect.ts';
import type { Connection } from '../../client/connection.ts';
import { openConnection } from '../../client/open-connection.ts';
import { JujuError, hasCode } from '../../core/errors.ts';
import type { Clock } from '../../kit/clock.ts';
import { userTag } from '../../wire/tags.ts';
import { readRedirection } from '../../wire/redirection.ts';
import { userPassword } from './controller-process.ts';
import type { Controllers } from './controllers.ts';
import type { Faults } from '../../forecast/world/faults.ts';
import type { SimHost, SimNetwork } from '../../forecast/world/network.ts';
import type { SimProcess } from '../../forecast/world/process.ts';
import type { SimCharm, SimOperator, SimUpload } from './world.ts';

const askAgainMs = 1_000;
const uploadTimeoutMs = 30_000;

/** User on a host of their own. */
export class Operator implements SimOperator {
  readonly #user: string;
  readonly #process: SimProcess;
  readonly #network: SimNetwork;
  readonly #faults: Faults;
  readonly #controllers: Controllers;
  readonly #charms: Map<string, SimCharm>;
  readonly #host: SimHost = { name: 'operator', cutUntil: 0, off: false };
  readonly #connections = new Map<string, Promise<Connection>>();
  /** Address of the controller at which a model was found last. */
  readonly #known = new Map<string, string>();

  constructor(options: {
    user: string;
    process: SimProcess;
    network: SimNetwork;
    faults: Faults;
    controllers: Controllers;
    /** Charms that machines know, by model and URL, and by name. */
    charms: Map<string, SimCharm>;
  }) {
    this.#user = options.user;
    this.#process = options.process;
    this.#network = options.network;
    this.#faults = options.faults;
    this.#controllers = options.controllers;
    this.#charms = options.charms;
  }

  connect(modelUuid = ''): Promise<Connection> {
    return this.#kept(modelUuid, () => this.#follow(modelUuid));
  }

  #kept(key: string, open: () => Promise<Connection>): Promise<Connection> {
    const known = this.#connections.get(key);
    if (known) return known;
    const opening = open();
    this.#connections.set(key, opening);
    const forget = (): void => {
      if (this.#connections.get(key) === opening) this.#connections.delete(key);
    };
    opening.then((connection) => connection.closed.then(forget), forget);
    return opening;
  }

  async call<R>(modelUuid: string | undefined, facade: string, method: string, params?: unknown): Promise<R> {
    const connection = await this.connect(modelUuid);
    return connection.call<R>(facade, method, params);
  }

  async callController<R>(modelUuid: string, facade: string, method: string, params?: unknown): Promise<R> {
    const { address } = this.#controllers.having(modelUuid);
    const isFirst = address === this.#controllers.all[0]!.address;
    const connection = await this.#kept(isFirst ? '' : address, () => this.#open(address, '/api'));
    return connection.call<R>(facade, method, params);
  }

  async addModel(name: string, config: Readonly<Record<string, unknown>> = {}): Promise<string> {
    for (;;) {
      try {
        const { uuid } = await this.call<{ uuid: string }>(undefined, 'ModelManager', 'CreateModel', {
          name,
          'owner-tag': 'user-admin',
          config,
        });
        return uuid;
      } catch (error) {
        const made = this.#modelNamed(name);
        // The error shows that an earlier attempt succeeded, and its answer was lost.
        if (hasCode(error, 'already exists') && made !== undefined) return made;
        if (!isPassing(error)) throw error;
        await this.sleep(askAgainMs);
      }
    }
  }

  async addCharm(modelUuid: string, charm: SimCharm): Promise<string> {
    this.#charms.set(charm.name, charm);
    for (;;) {
      const answer = await this.#upload(modelUuid, charm);
      if (typeof answer === 'string') {
        this.#charms.set(`${modelUuid} ${answer}`, charm);
        return answer;
      }
      if (answer instanceof JujuError && answer.code !== 'try again') throw answer;
      await this.sleep(askAgainMs);
    }
  }

  attach(modelUuid: string, upload: SimUpload): Promise<void> {
    const process = this.#process;
    return new Promise((resolve, reject) => {
      const failed = (): void => reject(new JujuError('try again', 'the upload broke off'));
      process.after(uploadTimeoutMs, 'attach timeout', failed);
      process.after(this.#network.latency(), 'attach', () => {
        // The controller gets a part of the upload, and keeps nothing.
        if (this.#faults.happens('upload-cut')) return failed();
        this.#controllers.having(modelUuid).attach(modelUuid, upload, (end) =>
          process.after(this.#network.latency(), 'attached', () => {
            if (!end) resolve();
            else if (end instanceof JujuError) reject(end);
            else failed();
          }),
        );
      });
    });
  }

  get clock(): Clock {
    return this.#process.clock;
  }

  sleep(ms: number): Promise<void> {
    return this.#process.clock.sleep(ms);
  }

  random(): number {
    return this.#process.random.next();
  }

  /** Closes every connection. */
  async disconnect(): Promise<void> {
    for (const opening of this.#connections.values()) await (await opening.catch(() => undefined))?.close();
  }

  /** Connects to a model where it was found last, or where that controller says that it is. */
  async #follow(modelUuid: string): Promise<Connection> {
    const path = modelUuid === '' ? '/api' : `/model/${modelUuid}/api`;
    const address = this.#known.get(modelUuid) ?? this.#controllers.all[0]!.address;
    try {
      return await this.#open(address, path);
    } catch (error) {
      const next = readRedirection(error)?.addresses[0];
      if (next === undefined) throw error;
      this.#known.set(modelUuid, next);
      return this.#open(next, path);
    }
  }

  async #open(at: string, path: string): Promise<Connection> {
    const { clock } = this.#process;
    const socket = await firstThatAnswers([at], undefined, (address) =>
      this.#network.connect(this.#process, this.#host, address, path),
    );
    return openConnection(socket, { login: { tag: userTag(this.#user), password: userPassword }, clock });
  }

  /** Uploads over the network; a missing answer is an error. */
  #upload(modelUuid: string, charm: SimCharm): Promise<string | Error> {
    const process = this.#process;
    return new Promise((resolve) => {
      process.after(this.#network.latency(), 'upload', () =>
        this.#controllers
          .having(modelUuid)
          .upload(modelUuid, charm, (answer) =>
            process.after(this.#network.latency(), 'uploaded', () => resolve(answer)),
          ),
      );
      process.after(uploadTimeoutMs, 'upload timeout', () => resolve(new Error('no answer')));
    });
  }

  #modelNamed(name: string): string | undefined {
    for (const model of this.#controllers.joint.read().list('model'))
      if (model.name === name) return model.uuid;
    return undefined;
  }
}

/** Whether a repeated call may succeed. */
function isPassing(error: unknown): boolean {
  return !(error instanceof JujuError) || error.code === 'try again' || error.code === '';
}
