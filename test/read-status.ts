/** Statuses of models, read over connections of their own, which is much cheaper than a command each time. */
import { ClientStore } from '../src/cli/files/client-store.ts';
import { formatStatus } from '../src/cli/format/formatted.ts';
import { call } from '../src/client/calls.ts';
import { connect } from '../src/client/connect.ts';
import type { Connection } from '../src/client/connection.ts';
import { systemClock } from '../src/kit/clock.ts';

/** Time in milliseconds after which a controller that does not answer is left to the command line. */
const answerMs = 10_000;

export class StatusReader {
  readonly #store: ClientStore;
  readonly #controller: string;
  /** Connections by the models' UUIDs. */
  readonly #connections = new Map<string, Promise<Connection>>();

  /** Creates a reader of statuses. `clientDir`: folder of the client's files. */
  constructor(clientDir: string, controller: string) {
    this.#store = new ClientStore(clientDir, systemClock);
    this.#controller = controller;
  }

  /**
   * Returns what `status --format json` prints, of a model or of the current one. Errors: when the controller does not
   * answer, is not the current one, or has no such model. The controller is not started.
   */
  async read(model?: string): Promise<unknown> {
    const uuid = await this.#uuidOf(model);
    try {
      const connection = await this.#connection(uuid);
      const full = await call(
        connection,
        'Client',
        'FullStatus',
        { patterns: [], 'include-storage': true },
        { signal: AbortSignal.timeout(answerMs) },
      );
      return JSON.parse(
        JSON.stringify(formatStatus(full, this.#controller, { iso: false, nowMs: systemClock.now() })),
      );
    } catch (error) {
      await this.#forget(uuid);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.keys()].map((uuid) => this.#forget(uuid)));
  }

  async #uuidOf(model: string | undefined): Promise<string> {
    if (model === undefined && (await this.#store.currentController()) !== this.#controller)
      throw new Error(`controller ${this.#controller} is not the current one`);
    const named = model ?? (await this.#store.currentModel(this.#controller)) ?? '';
    const { user = '' } = (await this.#store.account(this.#controller)) ?? {};
    const name = named.includes('/') ? named : `${user}/${named}`;
    const known = (await this.#store.models(this.#controller))[name];
    if (!known) throw new Error(`model ${name} is not known`);
    return known.uuid;
  }

  #connection(uuid: string): Promise<Connection> {
    const known = this.#connections.get(uuid);
    if (known) return known;
    const connection = this.#connect(uuid);
    this.#connections.set(uuid, connection);
    return connection;
  }

  async #connect(modelUuid: string): Promise<Connection> {
    const details = (await this.#store.controllers())[this.#controller];
    const account = await this.#store.account(this.#controller);
    if (!details || !account?.password) throw new Error(`controller ${this.#controller} is not known`);
    return connect({
      addresses: details['api-endpoints'],
      caCert: details['ca-cert'],
      modelUuid,
      login: { tag: `user-${account.user}`, password: account.password },
    });
  }

  async #forget(uuid: string): Promise<void> {
    const connection = this.#connections.get(uuid);
    this.#connections.delete(uuid);
    await connection?.then(
      (open) => open.close(),
      () => undefined,
    );
  }
}
