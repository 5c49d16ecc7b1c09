/**
 * Controller of one test run, with folders of its own: the user's files, controllers and models are neither read nor
 * changed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Connection } from '../../client/connection.ts';
import { userTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';
import { cliArgv } from '../daemon.ts';
import { ClientStore } from '../files/client-store.ts';
import { AfterDeath } from './after-death.ts';
import { captured } from './captured.ts';
import type { Ran } from './local-stage.ts';
import { makeFolder } from '../../kit/make-folder.ts';

interface RunPlace {
  readonly cwd?: string;
  /** Name of the current model. */
  readonly model?: string;
  readonly signal?: AbortSignal;
}

/** Name of the controller in its own client's files. */
const name = 'test';
/** Command that removes everything; nothing here is worth waiting for agents. */
const removal = ['kill-controller', name, '--no-prompt', '--timeout', '0s'];
/** Time limit in milliseconds for removing everything, whatever the machines do. */
const endTimeoutMs = 120_000;

/** Flags of a removal that waits for no agent. */
const atOnce = ['--no-prompt', '--force', '--no-wait', '--destroy-storage'];

export class Throwaway {
  /** Folder of all files of the run. */
  readonly dir: string;
  readonly #context: CommandContext;
  #afterDeath: AfterDeath | undefined;

  private constructor(context: CommandContext, dir: string) {
    this.#context = context;
    this.dir = dir;
  }

  /**
   * Creates a controller. It ends with this process, also by SIGKILL, unless it is to be kept. Errors: plain Error with
   * the output of bootstrap; nothing is left then.
   */
  static async create(context: CommandContext, { keep }: { readonly keep: boolean }): Promise<Throwaway> {
    const controller = new Throwaway(context, await mkdtemp(join(tmpdir(), 'grigri-test-')));
    if (!keep) controller.#endWithProcess();
    try {
      const bootstrap = ['bootstrap', 'local', name, '--data-dir', controller.controllerDir];
      const { code, stderr } = await controller.run([...bootstrap, '--config', 'api-port=0']);
      context.io.signal.throwIfAborted();
      if (code !== 0) throw new Error(`no controller could be made:\n${stderr}`);
      return controller;
    } catch (error) {
      await controller.end();
      throw error;
    }
  }

  get controllerDir(): string {
    return join(this.dir, 'controller');
  }

  /** Folder of the client's files: $JUJU_DATA. */
  get clientDir(): string {
    return join(this.dir, 'client');
  }

  /** Runs a command of the command line. */
  run(
    argv: readonly string[],
    { cwd = this.dir, model, signal = this.#context.io.signal }: RunPlace = {},
  ): Promise<Ran> {
    const env = this.#env(model);
    return captured(signal, (io) => this.#context.run(argv, { ...io, env, cwd, home: this.dir }));
  }

  /**
   * Adds a root file system for machines: `base`, or `base=archive`. Errors: plain Error with the output of
   * local-image.
   */
  async addImage(image: string): Promise<void> {
    const { io } = this.#context;
    const [base = '', ...archive] = image.split('=');
    const from = archive.length > 0 ? [resolve(io.cwd, archive.join('='))] : [];
    const { code, stderr } = await this.run(['local-image', 'add', base, ...from]);
    io.signal.throwIfAborted();
    if (code !== 0) throw new Error(`no root file system for ${base} could be added:\n${stderr}`);
  }

  /**
   * Adds a model in which a failed hook stays as it is, for a look. `config`: further settings, `key=value` or a file.
   * Errors: plain Error with the output of add-model.
   */
  async addModel(
    model: string,
    config: readonly string[],
  ): Promise<{ name: string; uuid: string; folder: string }> {
    const settings = ['automatically-retry-hooks=false', ...config].flatMap((one) => ['--config', one]);
    const { code, stderr } = await this.run(['add-model', model, '--no-switch', ...settings], {
      cwd: this.#context.io.cwd,
    });
    this.#context.io.signal.throwIfAborted();
    if (code !== 0) throw new Error(`no model could be made:\n${stderr}`);
    const uuid = (await this.#store.models(name))[`admin/${model}`]?.uuid ?? '';
    const folder = this.#charmsOf(model);
    await makeFolder(folder);
    return { name: model, uuid, folder };
  }

  /** Removes a model with its machines, if it exists. Errors: plain Error with the output of destroy-model. */
  async removeModel(model: string): Promise<void> {
    if ((await this.#store.models(name))[`admin/${model}`]) {
      const { code, stderr } = await this.run(['destroy-model', model, ...atOnce]);
      this.#context.io.signal.throwIfAborted();
      if (code !== 0) throw new Error(`model ${model} could not be removed:\n${stderr}`);
    }
    await rm(this.#charmsOf(model), { recursive: true, force: true });
  }

  async connect(modelUuid: string): Promise<Connection> {
    const { signal } = this.#context.io;
    return this.#context.io.connect({ ...(await this.access()), modelUuid, signal });
  }

  /** Returns how the controller is reached and logged into. */
  async access() {
    const details = (await this.#store.controllers())[name];
    const account = await this.#store.account(name);
    if (!details || !account?.password) throw new Error(`controller ${name} is not known`);
    return {
      uuid: details.uuid,
      addresses: details['api-endpoints'],
      caCert: details['ca-cert'],
      login: { tag: userTag(account.user), password: account.password },
    };
  }

  /** Removes everything, also after ^C. Errors: plain Error that says what is left and how to remove it. */
  async end(): Promise<void> {
    try {
      if (Object.keys(await this.#store.controllers()).length > 0) {
        const { code, stderr } = await this.run(removal, { signal: AbortSignal.timeout(endTimeoutMs) });
        if (code !== 0)
          throw new Error(
            `the controller could not be removed: try "JUJU_DATA=${this.clientDir} grigri kill-controller ${name}"\n${stderr}`,
          );
      }
      await rm(this.dir, { recursive: true, force: true });
    } finally {
      await this.#afterDeath?.cancel();
    }
  }

  #endWithProcess(): void {
    this.#afterDeath = new AfterDeath(this.dir, [...cliArgv(), ...removal], this.#env());
  }

  #env(model?: string) {
    return {
      ...this.#context.io.env,
      HOME: this.dir,
      JUJU_DATA: this.clientDir,
      JUJU_CONTROLLER: name,
      JUJU_MODEL: model === undefined ? undefined : `${name}:${model}`,
    };
  }

  #charmsOf(model: string): string {
    return join(this.dir, 'charms', model);
  }

  get #store(): ClientStore {
    return new ClientStore(this.clientDir, this.#context.io.clock);
  }
}
