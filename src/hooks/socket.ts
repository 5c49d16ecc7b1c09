/**
 * The socket on which a unit's hook tools reach its agent. The tool is a small client without knowledge: it sends the
 * context id and its arguments, and does what the answer's frames say.
 *
 * Request:  u32 length, then NUL-joined UTF-8: context id, tool, arguments…
 * Answer:   frames of u8 kind, u32 length, payload; big-endian:
 *   o  bytes for stdout            e  bytes for stderr
 *   r  path: send me this file (`-` is stdin); the client answers a frame `d` with its bytes or `f` with the reason
 *   w  path NUL bytes: write this file; the client fails by itself when it cannot
 *   x  one byte: exit code, the last frame
 * Files are read and written by the client, so that they are the hook's files: its directory, user and mount namespace.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';

import { JujuError } from '../core/errors.ts';
import type { Log } from '../kit/log.ts';
import type { HookContext } from './context.ts';
import { runTool } from './run-tool.ts';
import { makeFolder } from '../kit/make-folder.ts';

/** Linux's `sun_path` without its final NUL. */
const maxPathBytes = 107;
/** Maximum size of a request: more than the kernel allows for a command line. */
const maxRequestBytes = 8 << 20;
const maxFileBytes = 64 << 20;

/** Right of a hook to use the tools, which ends with the hook. */
interface HookSession {
  /** 256 random bits in hex. A secret: any process that has it acts as the unit. */
  readonly contextId: string;
  /** Refuses further tools of this hook; resolves when the running one has answered. */
  end(): Promise<void>;
}

interface Session {
  readonly id: Buffer;
  readonly context: HookContext;
  readonly onRebootNow: () => void;
  /** Queue of the hook's tools, which run one after the other in the order in which they came. */
  queue: Promise<void>;
  readonly ended: AbortController;
}

export class HookSocket implements AsyncDisposable {
  readonly path: string;
  readonly #server: Server;
  readonly #log: Log;
  readonly #sessions = new Set<Session>();
  readonly #connections = new Set<Socket>();

  /** Opens the socket; see listenPrivately. */
  static async listen(options: { readonly path: string; readonly log: Log }): Promise<HookSocket> {
    const { path, log } = options;
    return new HookSocket(path, await listenPrivately(path), log);
  }

  private constructor(path: string, server: Server, log: Log) {
    this.path = path;
    this.#server = server;
    this.#log = log;
    server.on('error', (error) => log.error('hook socket failed', { error }));
    server.on('connection', (connection) => {
      this.#connections.add(connection);
      connection.on('error', () => connection.destroy());
      connection.on('close', () => this.#connections.delete(connection));
      void this.#serve(connection);
    });
  }

  /** Makes tools that name the new session's id act for this hook. `onRebootNow`: called for `juju-reboot --now`. */
  open(context: HookContext, onRebootNow: () => void): HookSession {
    const contextId = randomBytes(32).toString('hex');
    const session: Session = {
      id: Buffer.from(contextId),
      context,
      onRebootNow,
      queue: Promise.resolve(),
      ended: new AbortController(),
    };
    this.#sessions.add(session);
    return {
      contextId,
      end: async () => {
        session.ended.abort(new JujuError('', 'the hook has ended'));
        this.#sessions.delete(session);
        await session.queue;
      },
    };
  }

  /** Closes every connection and removes the socket. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #serve(connection: Socket): Promise<void> {
    try {
      const reader = new ByteReader(connection);
      const { id, name, args } = await readRequest(reader);
      const session = this.#session(id);
      if (!session) return answer(connection, [frame('e', 'ERROR no such hook context\n'), frame('x', [1])]);
      const result = await runTool({
        context: session.context,
        name,
        args,
        readFile: (path) => readClientFile(connection, reader, path),
        inTurn: (run) => inTurn(session, run),
        signal: session.ended.signal,
        log: this.#log,
      });
      const frames: Buffer[] = [];
      if (result.stdout) frames.push(frame('o', result.stdout));
      if (result.stderr) frames.push(frame('e', result.stderr));
      if (result.file) frames.push(frame('w', `${result.file.path}\0${result.file.content}`));
      answer(connection, [...frames, frame('x', [result.code])]);
      if (session.context.changes.reboot === 'now') session.onRebootNow();
    } catch (error) {
      // A tool that was killed or sent garbage gets no answer; other hooks go on.
      this.#log.debug('hook tool call was cut off', { error });
      connection.destroy();
    }
  }

  #session(id: string): Session | undefined {
    const givenId = Buffer.from(id);
    let found: Session | undefined;
    for (const session of this.#sessions) {
      if (givenId.length === session.id.length && timingSafeEqual(givenId, session.id)) found = session;
    }
    return found;
  }
}

/**
 * Listens on `path`, whose directory belongs to the socket alone: it is created, and only its owner may enter it. A
 * socket left by a crashed agent is replaced. Errors: plain when the path is longer than a socket's can be.
 */
export async function listenPrivately(path: string): Promise<Server> {
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new JujuError('', `hook socket path "${path}" is longer than ${maxPathBytes} bytes`);
  }
  await makeFolder(dirname(path));
  await chmod(dirname(path), 0o700);
  await rm(path, { force: true });
  const server = createServer({ allowHalfOpen: false });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
  await chmod(path, 0o600);
  return server;
}

/**
 * Reads a request: context id, the program's name and its arguments. Errors: plain when the client disconnects or
 * sends too much.
 */
export async function readRequest(
  reader: ByteReader,
): Promise<{ readonly id: string; readonly name: string; readonly args: readonly string[] }> {
  const length = (await reader.take(4)).readUInt32BE();
  if (length > maxRequestBytes) throw new JujuError('', 'request too long');
  const [id = '', name = '', ...args] = (await reader.take(length)).toString().split('\0');
  return { id, name, args };
}

async function inTurn<T>(session: Session, run: () => Promise<T>): Promise<T> {
  const result = session.queue.then(() => {
    session.ended.signal.throwIfAborted();
    return run();
  });
  session.queue = result.then(
    () => undefined,
    () => undefined,
  );
  return await result;
}

async function readClientFile(connection: Socket, reader: ByteReader, path: string): Promise<Buffer> {
  connection.write(frame('r', path));
  const head = await reader.take(5);
  const length = head.readUInt32BE(1);
  if (length > maxFileBytes) throw new JujuError('', `file "${path}" is larger than ${maxFileBytes} bytes`);
  const payload = await reader.take(length);
  if (head[0] !== 'd'.charCodeAt(0)) throw new JujuError('', `cannot read ${path}: ${payload.toString()}`);
  return payload;
}

export function answer(connection: Socket, frames: readonly Buffer[]): void {
  connection.end(Buffer.concat(frames));
}

export function frame(kind: string, payload: string | Buffer | readonly number[]): Buffer {
  const body = Buffer.from(payload as string);
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** Reads exact numbers of bytes from a stream. */
export class ByteReader {
  readonly #connection: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #wake: () => void = () => undefined;
  #ended = false;

  constructor(connection: Socket) {
    this.#connection = connection;
    connection.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    const finish = (): void => {
      this.#ended = true;
      this.#wake();
    };
    connection.on('end', finish);
    connection.on('close', finish);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#length < count) {
      if (this.#ended || this.#connection.destroyed) throw new JujuError('', 'the hook tool has ended');
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all.subarray(count)];
    this.#length -= count;
    return all.subarray(0, count);
  }
}
