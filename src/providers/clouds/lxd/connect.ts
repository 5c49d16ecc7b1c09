import type { Clock } from '../../../kit/clock.ts';
import type { Log } from '../../../kit/log.ts';
import type { CloudSpec } from '../../contract/provider.ts';
import { LxdError, type LxdClient, type LxdRequest } from './client.ts';
import { createHttp, textOf, type HttpAnswer } from './http.ts';
import { defined } from '../../../core/defined.ts';

export interface LxdClientOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** LXD's project; absent = `default`. */
  readonly project?: string;
  /** Time limit in milliseconds for the beginning of an answer, beyond the requested wait. */
  readonly timeoutMs?: number;
  /** Time in seconds without news after which an operation is given up. */
  readonly patienceSeconds?: number;
}

const answerMs = 60_000;
/** Default patience in seconds: downloads and unpacking report progress; other operations end sooner or hang. */
const patience = 20 * 60;
/** Operations are awaited in slices, so that a dead LXD is noticed; slices are shorter where progress is requested. */
const sliceSeconds = 20;
const progressSeconds = 1;
const cancelMs = 5_000;
const outputMax = 64 * 1024;

/** Operation as in `/1.0/operations/<uuid>`. */
interface Operation {
  readonly id: string;
  readonly status_code: number;
  readonly err: string;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}
interface Answer {
  readonly type: 'sync' | 'async' | 'error';
  readonly metadata: unknown;
  readonly operation?: string;
  readonly error?: string;
  readonly error_code?: number;
}

/** Client of the REST API. Cheap: connects at the first request. */
export class HttpLxdClient implements LxdClient {
  readonly #http: ReturnType<typeof createHttp>;
  readonly #log: Log;
  readonly #project: string;
  readonly #timeoutMs: number;
  readonly #patienceSeconds: number;

  constructor(spec: CloudSpec, options: LxdClientOptions) {
    this.#http = createHttp(spec);
    this.#log = options.log;
    this.#project = options.project ?? '';
    this.#timeoutMs = options.timeoutMs ?? answerMs;
    this.#patienceSeconds = options.patienceSeconds ?? patience;
  }

  async request<T>(params: LxdRequest, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const { answer } = await this.#ask(params, params.uncut ? neverAborted : signal);
    if (answer.type !== 'async') return answer.metadata as T;
    return (await this.#wait(answer.operation!, params.progress, signal)).metadata as T;
  }

  async read<T>(path: string, signal: AbortSignal): Promise<{ value: T; etag: string }> {
    const { answer, etag } = await this.#ask({ method: 'GET', path }, signal);
    return { value: answer.metadata as T, etag };
  }

  async find<T>(path: string, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await this.request<T>({ method: 'GET', path }, signal);
    } catch (error) {
      if (error instanceof LxdError && error.status === 404) return undefined;
      throw error;
    }
  }

  async putFile(
    instance: string,
    path: string,
    content: string,
    { mode }: { readonly mode: string },
    signal: AbortSignal,
  ): Promise<void> {
    const write = async (at: string, headers: Record<string, string>, text?: string): Promise<void> => {
      const to: LxdRequest = {
        method: 'POST',
        path: `/1.0/instances/${instance}/files`,
        query: { path: at },
      };
      const owned = { 'x-lxd-uid': '0', 'x-lxd-gid': '0', ...headers };
      const options = { headers: owned, ...defined({ text }) };
      await parse(await this.#send(to, signal, options), signal);
    };
    const writeFile = (): Promise<void> =>
      write(path, { 'x-lxd-type': 'file', 'x-lxd-mode': mode, 'x-lxd-write': 'overwrite' }, content);
    try {
      await writeFile();
    } catch (error) {
      if (!(error instanceof LxdError && error.status === 404)) throw error;
      for (const folder of foldersAbove(path))
        await write(folder, { 'x-lxd-type': 'directory', 'x-lxd-mode': '0755' });
      await writeFile();
    }
  }

  async exec(
    instance: string,
    argv: readonly string[],
    signal: AbortSignal,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const body = { command: argv, 'record-output': true, 'wait-for-websocket': false, interactive: false };
    const done = await this.request<{ return: number; output?: Record<string, string> }>(
      { method: 'POST', path: `/1.0/instances/${instance}/exec`, body },
      signal,
    );
    return {
      code: done.return,
      stdout: await this.#takeOutput(done.output?.['1'], signal),
      stderr: await this.#takeOutput(done.output?.['2'], signal),
    };
  }

  async #send(
    { method, path, query = {}, body, etag }: LxdRequest,
    signal: AbortSignal,
    {
      headers = {},
      text,
      waitMs = 0,
    }: { headers?: Record<string, string>; text?: string; waitMs?: number } = {},
  ): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const [bare = '', given] = path.split('?', 2);
    const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await this.#http(
      {
        method,
        path: bare,
        query: {
          ...(this.#project && this.#project !== 'default' && ofProject(bare)
            ? { project: this.#project }
            : {}),
          ...Object.fromEntries(new URLSearchParams(given)),
          ...query,
        },
        headers: {
          'user-agent': 'grigri',
          ...defined({
            'content-type': body === undefined ? undefined : 'application/json',
            'if-match': etag || undefined,
          }),
          ...headers,
        },
        ...defined({ body: content }),
        timeoutMs: this.#timeoutMs + waitMs,
      },
      signal,
    );
    this.#log.trace('request', { method, path: bare, status: answer.statusCode });
    return answer;
  }

  async #ask(
    request: LxdRequest,
    signal: AbortSignal,
    waitMs = 0,
  ): Promise<{ answer: Answer; etag: string }> {
    const received = await this.#send(request, signal, { waitMs });
    return { answer: await parse(received, signal), etag: String(received.headers['etag'] ?? '') };
  }

  async #cancel(operation: string): Promise<void> {
    const limit = AbortSignal.timeout(cancelMs);
    // Many operations cannot be cancelled: the aborting caller must check the outcome anyway.
    await this.#ask({ method: 'DELETE', path: operation }, limit).catch(() => undefined);
  }

  async #wait(url: string, progress: LxdRequest['progress'], signal: AbortSignal): Promise<Operation> {
    const [path = '', query] = url.split('?', 2);
    const seconds = progress ? progressSeconds : sliceSeconds;
    const request: LxdRequest = {
      method: 'GET',
      path: `${path}/wait${query ? `?${query}` : ''}`,
      query: { timeout: String(seconds) },
    };
    let isStuck = false;
    try {
      let lastNews = '';
      for (let silent = 0; ; silent += seconds) {
        if (silent >= this.#patienceSeconds) {
          isStuck = true;
          throw new LxdError(0, `LXD does not finish an operation: it reported nothing for ${silent} s`);
        }
        const { answer } = await this.#ask(request, signal, seconds * 1000).catch(forgotten);
        const operation = answer.metadata as Operation;
        if (operation.status_code === 200) return operation;
        if (operation.status_code >= 400)
          throw new LxdError(operation.status_code, operation.err, { failure: 'operation' });
        const message = progressOf(operation);
        if (message !== lastNews) silent = 0;
        if (message !== '' && message !== lastNews) progress?.(message);
        lastNews = message;
      }
    } catch (error) {
      if (signal.aborted || isStuck) await this.#cancel(url);
      throw error;
    }
  }

  /** Reads the recorded output of a program and removes its file. */
  async #takeOutput(path: string | undefined, signal: AbortSignal): Promise<string> {
    if (path === undefined) return '';
    const answer = await this.#send({ method: 'GET', path }, signal);
    if (answer.statusCode >= 400) await parse(answer, signal);
    const text = tail(await textOf(answer, signal));
    await this.#ask({ method: 'DELETE', path }, signal);
    return text;
  }
}

/** Returns the parent folders, outermost first; existing ones are left unchanged. */
function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
}

const neverAborted = new AbortController().signal;

/** Parses an answer. Errors: LxdError. */
async function parse(http: HttpAnswer, signal: AbortSignal): Promise<Answer> {
  const text = await textOf(http, signal);
  let answer: Answer | undefined;
  try {
    answer = JSON.parse(text) as Answer;
  } catch {
    answer = undefined;
  }
  if (typeof answer?.type !== 'string')
    throw new LxdError(
      http.statusCode >= 400 ? http.statusCode : 0,
      `not an answer of LXD (HTTP ${http.statusCode}): ${text.slice(0, 200).trim() || 'it is empty'}`,
    );
  if (answer.type === 'error' || http.statusCode >= 400)
    throw new LxdError(answer.error_code || http.statusCode, answer.error || `HTTP ${http.statusCode}`);
  return answer;
}

/** Converts a missing operation to an error: operations exist only in LXD's memory. */
function forgotten(error: unknown): never {
  if (error instanceof LxdError && error.status === 404)
    throw new LxdError(0, 'LXD no longer knows the operation: it was restarted', { cause: error });
  throw error;
}

/** Returns the progress, `download_progress: "rootfs: 32% (5.1MB/s)"`; '' where there is none. */
function progressOf({ metadata }: Operation): string {
  const [, text] = Object.entries(metadata ?? {}).find(([key]) => key.endsWith('_progress')) ?? [];
  return typeof text === 'string' ? text : '';
}

function ofProject(path: string): boolean {
  return !/^\/1\.0(\/(certificates|cluster|projects|resources)(\/.*)?)?$/.test(path);
}

function tail(text: string): string {
  return text.length > outputMax ? text.slice(-outputMax) : text;
}
