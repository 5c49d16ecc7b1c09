import { defined } from '../core/defined.ts';
import type { Connection } from '../client/connection.ts';
import type { CommonEvent, Operator } from '../operate/operator.ts';
import type { Client, ControllerSession, ModelSession, SessionEvent } from '../operate/sessions.ts';
import { architecture } from './architecture.ts';
import type { ClientStore } from './files/client-store.ts';
import { dataDir } from './files/data-dir.ts';
import { formatBytes } from './format/bytes.ts';
import { lineFor } from './format/suggested-line.ts';
import { visibleLine } from '../kit/visible.ts';
import type { CliIo } from './io.ts';

interface ContextOptions {
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Path from -o, for the results. */
  readonly outputFile: string;
  /** Name of the command, for the controller's audit log: its arguments may be secrets. */
  readonly command?: string;
  /** Model that -m or the environment names; absent or '' = the current one. */
  readonly model?: string;
  /** Runs the command line once more, with other effects; absent for contexts that run nothing. */
  readonly runCli?: (argv: readonly string[], io: CliIo) => Promise<number>;
}

/** Context of a command. Connections that it opened close with it. */
export class CommandContext implements AsyncDisposable {
  readonly io: CliIo;
  readonly #options: ContextOptions;
  #open: Connection[] = [];
  #store: ClientStore | undefined;

  constructor(io: CliIo, options: ContextOptions) {
    this.io = io;
    this.#options = options;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#open.map((connection) => connection.close()));
  }

  /** Returns the same context, whose operations also end with `signal`. */
  withSignal(signal: AbortSignal): CommandContext {
    const limited = new CommandContext(
      { ...this.io, signal: AbortSignal.any([this.io.signal, signal]) },
      this.#options,
    );
    limited.#open = this.#open;
    return limited;
  }

  /** Runs another command with the effects of this one, changed. Resolves with its exit code. */
  async run(argv: readonly string[], changes: Partial<CliIo>): Promise<number> {
    const { runCli } = this.#options;
    if (!runCli) throw new Error('no command runs in this context');
    return runCli(argv, { ...this.io, ...changes });
  }

  /** Returns the client's files. */
  async store(): Promise<ClientStore> {
    this.#store ??= this.io.records;
    if (!this.#store) {
      const { ClientStore } = await import('./files/client-store.ts');
      this.#store = new ClientStore(dataDir(this.io.env, this.io.home), this.io.clock);
    }
    return this.#store;
  }

  /**
   * Writes results to stdout, or to the file of -o. `styled` text has grigri's own colours, and control characters from
   * others are visible in it already.
   */
  async write(text: string, { styled = false } = {}): Promise<void> {
    const { stdout } = this.io;
    if (!this.#options.outputFile) return styled ? stdout.writeRaw(text) : stdout.write(text);
    const { writeFile } = await import('node:fs/promises');
    const path = await import('node:path');
    await writeFile(path.resolve(this.io.cwd, this.#options.outputFile), text);
  }

  /**
   * Returns a command line to advise, for the model that the user has named: it means the same while another one is
   * current.
   */
  lineFor(line: string, model = this.#options.model ?? ''): string {
    return `${this.io.program} ${model === '' ? line : lineFor(line, model)}`;
  }

  /** Writes a message to stderr, unless --quiet is given. */
  info(line: string): void {
    if (!this.#options.quiet) this.io.stderr.write(`${line}\n`);
  }

  /** Shows a temporary message, which the next one replaces and '' removes. Only on a terminal. */
  showTransient(text: string): void {
    const { stderr } = this.io;
    if (!this.#options.quiet && stderr.isTTY) stderr.writeRaw(`\r\x1b[K${visibleLine(text)}`);
  }

  verbose(line: string): void {
    if (this.#options.verbose) this.io.stderr.write(`${line}\n`);
  }

  warning(line: string): void {
    this.io.stderr.write(`WARNING ${line}\n`);
  }

  /** Returns the context for operations of operate/. `tell` handles the events that are specific to an operation. */
  operator<E extends { readonly kind: string } = never>(
    handleEvent: (event: E) => void = () => undefined,
  ): Operator<E> {
    const { clock, signal } = this.io;
    const report = (event: CommonEvent | E): void => {
      if (isWorking(event)) void this.progress(workLine(event.work), event.finished);
      else if (isText(event, 'warning')) this.warning(event.text);
      else if (isText(event, 'detail')) this.verbose(event.text);
      else handleEvent(event);
    };
    return { clock, signal, report, architecture: architecture() };
  }

  /** Returns the context for operate/sessions.ts. */
  get client(): Client {
    const { env, connect } = this.io;
    return {
      operator: this.operator<SessionEvent>(({ controller, problem }) =>
        this.info(`WARNING controller "${controller}" is read-only: ${problem}`),
      ),
      records: () => this.store(),
      chosen: { controller: env['JUJU_CONTROLLER'] ?? '', model: env['JUJU_MODEL'] ?? '' },
      connect,
      discharge: (asked) => this.#discharge(asked),
      ...defined({ commandLine: this.#options.command && `${this.io.program} ${this.#options.command}` }),
      startIfStopped: async (controller, uuid) => {
        const { startIfStopped } = await import('./local-controller.ts');
        return startIfStopped(this, controller, uuid);
      },
    };
  }

  /**
   * Opens a controller. `name` is the value of -c; '' means JUJU_CONTROLLER, the controller of JUJU_MODEL, or the
   * current one. `asks`: whether the user may be asked for the password.
   */
  async openController(name = '', { asks = true } = {}): Promise<ControllerSession> {
    const { openController } = await import('../operate/sessions.ts');
    const { discharge, ...client } = this.client;
    return this.#closeAtEnd(
      await openController({ ...client, ...defined({ discharge: asks ? discharge : undefined }) }, name),
    );
  }

  /**
   * Opens a model. `name` is the value of -m: `[controller:]model`; '' means JUJU_MODEL or the current one. `starts`:
   * whether a controller of this host that is stopped is started.
   */
  async openModel(name = '', { starts = true } = {}): Promise<ModelSession> {
    const { openModel } = await import('../operate/sessions.ts');
    const { startIfStopped, ...client } = this.client;
    const start = starts ? startIfStopped : () => Promise.resolve(false);
    return this.#closeAtEnd(await openModel({ ...client, startIfStopped: start }, name));
  }

  /**
   * Waits for `work`. On a terminal, a line names it after two seconds, and then every ten. Elsewhere nothing does
   * (cli.md#progress).
   */
  async progress<T>(task: string, work: Promise<T>): Promise<T> {
    if (!this.io.stderr.isTTY) return work;
    const finished = new AbortController();
    const printProgress = async (): Promise<void> => {
      await this.io.clock.sleep(2000, finished.signal);
      for (let seconds = 2; ; seconds += 10) {
        this.info(seconds === 2 ? `${task}…` : `${task}… (${seconds} s)`);
        await this.io.clock.sleep(10_000, finished.signal);
      }
    };
    printProgress().catch(() => undefined); // The abort ends the progress.
    try {
      return await work;
    } finally {
      finished.abort(new Error('done'));
    }
  }

  /** Asks for the password at a terminal; without a terminal, stdin may be meant for the command. */
  async #discharge({
    controller,
    user,
    ...asked
  }: Parameters<NonNullable<Client['discharge']>>[0]): Promise<readonly unknown[] | undefined> {
    const { stdin, signal } = this.io;
    if (!stdin.isTTY) return undefined;
    const { askPassword } = await import('./users/passwords.ts');
    const password = (): Promise<string> =>
      askPassword(this, `please enter password for ${user} on ${controller}: `);
    return this.io.discharge({ ...asked, user, signal, password });
  }

  #closeAtEnd<S extends ControllerSession>(session: S): S {
    this.#open.push(session.connection);
    return session;
  }
}

type Working = Extract<CommonEvent, { kind: 'working' }>;

function isWorking(event: { readonly kind: string }): event is Working {
  return event.kind === 'working';
}

function isText<K extends 'warning' | 'detail'>(
  event: { readonly kind: string },
  kind: K,
): event is Extract<CommonEvent, { kind: K }> {
  return event.kind === kind;
}

function workLine(work: Working['work']): string {
  switch (work.kind) {
    case 'connecting':
      return `Connecting to controller ${work.controller} at ${work.addresses.join(', ')}`;
    case 'packing':
      return `Packing ${work.path}`;
    case 'uploading':
      return `Uploading charm ${work.charm} (${formatBytes(work.bytes)})`;
    case 'uploading resource':
      return `Uploading resource ${work.resource} (${formatBytes(work.bytes)})`;
  }
}
