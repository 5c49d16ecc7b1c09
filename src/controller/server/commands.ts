/** Socket on which users run commands of the CLI (wire.md#commands). */
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { JujuError } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { parseJson } from '../../core/parse-json.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { slicesFromJson } from '../../kit/macaroon/slices.ts';
import { wireError } from '../../wire/errors.ts';
import { userTag } from '../../wire/tags.ts';
import { decodeUserCommands, type CommandFrame } from '../../wire/user-commands.ts';
import { onAccessLost } from './access-loss.ts';
import { authenticate } from './authenticate.ts';
import type { CommandRunner, UserCommand } from './command-runner.ts';
import { CommandSlots } from './command-slots.ts';
import type { ServerContext } from './context.ts';
import { drained } from './drained.ts';
import { dialledHost } from './http-auth.ts';

/** Unsent bytes above which a command waits for its reader. */
const backlogBytesMax = 1024 * 1024;
const pingIntervalMs = 60_000;
/** Time of silence after which a client counts as gone. */
const silenceMs = 150_000;

interface Origin {
  readonly request: IncomingMessage;
  /** UUID of the model; '' = the controller's own. */
  readonly modelUuid: string;
}

/** Serves all sockets of `/commands`. */
export class UserCommands {
  readonly #context: ServerContext;
  readonly #runner: CommandRunner;
  readonly #slots = new CommandSlots();
  /** Numbers of sockets on which nobody has given a password yet, by address. */
  readonly #idle = new Map<string, number>();

  constructor(context: ServerContext, runner: CommandRunner) {
    this.#context = context;
    this.#runner = runner;
  }

  /** Serves a socket until it closes: sends `{}`, then answers each request, one after the other. */
  async serve(socket: WebSocket, origin: Origin): Promise<void> {
    const { log } = this.#context.services;
    socket.on('error', (error) => log.debug('connection of commands failed', { error: error.message }));
    const ended = new AbortController();
    const onLogin = this.#enter(socket, origin);
    if (!onLogin) return socket.close(1013, 'too many connections of this address');
    let last: Promise<void> = Promise.resolve();
    let waiting = 0;
    let heardAt = this.#context.services.clock.now();
    const heard = (): void => void (heardAt = this.#context.services.clock.now());
    socket.on('pong', heard);
    socket.on('message', (data: Buffer) => {
      heard();
      if (waiting >= limits.commandRequests.max) return socket.close(1008, 'too many requests at a time');
      waiting++;
      const answer = (): Promise<void> =>
        this.#answer(socket, origin, { data, signal: ended.signal, onLogin });
      last = last.then(answer).finally(() => waiting--);
    });
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.send('{}\n');
    const pings = this.#ping(socket, ended.signal, () => heardAt);
    await closed;
    ended.abort(new Error('the client disconnected'));
    await Promise.all([pings, last]);
  }

  /**
   * Counts a socket as idle until the function that it returns is called: the dashboard opens one long before its user
   * types. Undefined when the address has too many.
   */
  #enter(socket: WebSocket, { request }: Origin): (() => void) | undefined {
    const address = request.socket.remoteAddress ?? '';
    const count = this.#idle.get(address) ?? 0;
    if (count >= this.#context.limits.idleCommandSockets) return undefined;
    this.#idle.set(address, count + 1);
    const { done } = this.#context.newcomers.serving(request.socket);
    let isIdle = true;
    const leave = (): void => {
      if (!isIdle) return;
      isIdle = false;
      done();
      const others = this.#idle.get(address)! - 1;
      if (others > 0) this.#idle.set(address, others);
      else this.#idle.delete(address);
    };
    socket.once('close', leave);
    return () => {
      leave();
      this.#context.newcomers.loggedIn(request.socket);
    };
  }

  async #ping(socket: WebSocket, signal: AbortSignal, heardAt: () => number): Promise<void> {
    const { clock } = this.#context.services;
    while (!signal.aborted) {
      await clock.sleep(pingIntervalMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (clock.now() - heardAt() > silenceMs) socket.terminate();
      else socket.ping();
    }
  }

  /** Answers one request; its errors are lines of output too, as the dashboard shows nothing else. */
  async #answer(
    socket: WebSocket,
    origin: Origin,
    { data, signal, onLogin }: { data: Buffer; signal: AbortSignal; onLogin: () => void },
  ): Promise<void> {
    if (signal.aborted) return;
    const send = (frame: CommandFrame): void => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
    };
    try {
      await this.#runAll(socket, origin, { data, signal, onLogin, send });
      send({ done: true });
    } catch (error) {
      if (signal.aborted) return;
      const known = error instanceof JujuError ? error : new JujuError('', 'internal error');
      if (known !== error) this.#context.services.log.error('commands failed', { error });
      // The command has said what is wrong.
      if (!(error instanceof CommandFailed)) send({ output: [`ERROR ${known.message}`] });
      send({ done: true, error: wireError(known) });
    }
  }

  async #runAll(
    socket: WebSocket,
    { request, modelUuid }: Origin,
    by: { data: Buffer; signal: AbortSignal; onLogin: () => void; send: (frame: CommandFrame) => void },
  ): Promise<void> {
    checkLimit(limits.commandRequest, by.data.length);
    const { user, credentials, commands, ...rest } = decodeUserCommands(parseRequest(by.data));
    checkLimit(limits.commandsOfRequest, commands.length);
    // Cookies do not count: pages of other servers can open a socket here, and browsers send cookies with it.
    const macaroons = credentials === '' ? slicesFromJson(rest.macaroons) : [];
    const identity = await authenticate(this.#context, modelUuid, {
      tag: user === '' ? '' : userTag(user),
      password: credentials,
      nonce: '',
      remote: request.socket.remoteAddress ?? '',
      macaroons,
      bakeryVersion: 0,
      host: dialledHost(this.#context, request),
    });
    if (identity.kind !== 'user') throw new JujuError('unauthorized access', 'permission denied');
    by.onLogin();
    const { name, since } = identity;
    const end = onAccessLost(this.#context, { name, ...defined({ since }), model: modelUuid }, () =>
      socket.close(1008, 'access was revoked'),
    );
    const shown = { password: credentials, macaroons: macaroons.map((slice) => slice.map(macaroonToJson)) };
    try {
      for (const line of commands)
        await this.#runOne(socket, by, { ...this.#place(modelUuid), line, user: name, ...shown });
    } finally {
      end();
    }
  }

  async #runOne(
    socket: WebSocket,
    { signal, send }: { signal: AbortSignal; send: (frame: CommandFrame) => void },
    command: UserCommand,
  ): Promise<void> {
    const { log, nextTurn } = this.#context.services;
    await this.#slots.run(command.user, signal, async () => {
      log.info('a user runs a command', {
        user: command.user,
        model: command.model.name,
        command: nameOf(command),
      });
      const lines = new Lines((line) => send({ output: [line] }));
      const code = await this.#limited(signal, (limited) =>
        this.#runner.run(command, {
          signal: limited,
          onOutput: async (text) => {
            const pause = async (): Promise<void> => {
              if (socket.bufferedAmount > backlogBytesMax) await drained(socket, limited);
              await new Promise<void>((resolve) => nextTurn(resolve));
            };
            await lines.add(text, pause);
            await pause();
          },
        }),
      );
      lines.end(true);
      if (code !== 0) throw new CommandFailed(`command "${nameOf(command)}": exit code ${code}`);
    });
  }

  /** Runs `fn` with a signal that also aborts when a command has had its time. */
  async #limited<T>(signal: AbortSignal, fn: (limited: AbortSignal) => Promise<T>): Promise<T> {
    const { max } = limits.commandTime;
    const limited = new AbortController();
    const onAbort = (): void => limited.abort(signal.reason);
    signal.addEventListener('abort', onAbort);
    const timeout = (): void =>
      limited.abort(new JujuError('deadline exceeded', `the command was ended after ${max} seconds`));
    this.#context.services.clock.sleep(max * 1000, limited.signal).then(timeout, () => undefined);
    try {
      return await fn(limited.signal);
    } finally {
      signal.removeEventListener('abort', onAbort);
      limited.abort(new Error('done'));
    }
  }

  /** Model and cloud that commands work in. */
  #place(modelUuid: string): Pick<UserCommand, 'model' | 'cloud'> {
    const root = this.#context.store.read().in('');
    const controller = root.get('controller', 'self');
    const model = root.get('model', modelUuid || (controller?.modelUuid ?? ''));
    if (!controller || !model) throw new JujuError('model not found', `unknown model: "${modelUuid}"`);
    const { cloud, region } = controller;
    return {
      model: { uuid: model.uuid, name: `${model.owner}/${model.name}` },
      cloud: { name: cloud, region, type: root.get('cloud', cloud)?.type ?? '' },
    };
  }
}

/** A command that ended with another exit code than 0. */
class CommandFailed extends JujuError {
  constructor(message: string) {
    super('', message);
  }
}

/** Name of a command, for records: its arguments may be secrets. */
function nameOf({ line }: UserCommand): string {
  return /^\s*([a-z][a-z-]{0,40})(?:\s|$)/.exec(line)?.[1] ?? '';
}

function parseRequest(data: Buffer): unknown {
  try {
    return parseJson(data.toString());
  } catch (error) {
    if (error instanceof SyntaxError) throw new JujuError('bad request', 'the request is not JSON');
    throw error;
  }
}

/** Lines that are sent in one turn of the event loop. */
const linesOfTurn = 256;

/** Output as lines. Errors of add: `quota limit exceeded` for too much output. */
class Lines {
  readonly #onLine: (line: string) => void;
  /** Parts of a line that has not ended: joined once, as one may be as long as the output. */
  #parts: string[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Hands the lines in a piece of output on; `pause` is awaited between some of them. */
  async add(text: string, pause: () => Promise<void>): Promise<void> {
    this.#length += text.length;
    checkLimit(limits.commandOutput, this.#length);
    let start = 0;
    for (let count = 1, end = text.indexOf('\n'); end >= 0; count++, end = text.indexOf('\n', start)) {
      this.#parts.push(text.slice(start, end));
      this.end();
      start = end + 1;
      if (count % linesOfTurn === 0) await pause();
    }
    if (start < text.length) this.#parts.push(text.slice(start));
  }

  /** Hands the last line on, which needs no end. */
  end(isLast = false): void {
    if (isLast && this.#parts.length === 0) return;
    this.#onLine(this.#parts.splice(0).join(''));
  }
}
