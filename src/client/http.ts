/** HTTPS requests beside the WebSocket: charm archives both ways, root file systems up (wire.md#charm-upload). */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client, Dispatcher } from 'undici';
import { JujuError } from '../core/errors.ts';
import { parseJson } from '../core/parse-json.ts';
import { fromWireError } from '../wire/errors.ts';
import { firstThatAnswers, serverName } from './connect.ts';

/** Who speaks to which controller. `login` as in ConnectOptions: it becomes Basic authorization. */
export interface HttpOptions {
  readonly addresses: readonly string[];
  readonly caCert: string;
  readonly login: { readonly tag: string; readonly password: string; readonly nonce?: string };
  readonly signal?: AbortSignal;
}

/** A silent socket is a dead one. */
const idleTimeoutMs = 60_000;
const errorBodyMax = 1024 * 1024;

/**
 * GET `path` into `file`, which appears whole and with this SHA-256 (hex) or not at all. Returns its size in bytes.
 * Errors: JujuError of the answer; `not valid` when the checksum differs; `try again` when nobody answers.
 */
export async function download(
  options: HttpOptions & { readonly path: string; readonly file: string; readonly sha256: string },
): Promise<number> {
  const partial = `${options.file}.partial`;
  return firstThatAnswers(options.addresses, options.signal, async (address) => {
    const response = await send(options, address, { method: 'GET', path: options.path });
    const hash = createHash('sha256');
    let size = 0;
    const measure = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        size += chunk.length;
        done(null, chunk);
      },
    });
    try {
      const whole = options.signal ? { signal: options.signal } : {};
      const partly = createWriteStream(partial, { mode: 0o600 });
      await pipeline(response.body, measure, partly, whole).catch((error: unknown) => {
        throw toldAsIdle(error);
      });
      const actual = hash.digest('hex');
      if (actual !== options.sha256) {
        throw new JujuError('not valid', `${options.path} has SHA-256 ${actual}, expected ${options.sha256}`);
      }
      await rename(partial, options.file);
      return size;
    } finally {
      await rm(partial, { force: true });
    }
  });
}

/** Sends `file` as the body. Returns the answer's headers and JSON. Errors: as download. */
export async function upload(
  options: HttpOptions & {
    readonly method: 'PUT' | 'POST';
    readonly path: string;
    readonly file: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<{ headers: IncomingHttpHeaders; body: Record<string, unknown> }> {
  const { size } = await stat(options.file);
  return firstThatAnswers(options.addresses, options.signal, async (address) => {
    const response = await send(options, address, {
      method: options.method,
      path: options.path,
      headers: { 'Content-Type': 'application/zip', ...options.headers, 'Content-Length': String(size) },
      file: options.file,
    });
    return { headers: response.headers, body: parseObject(await readText(response)) ?? {} };
  });
}

export interface CharmUpload extends HttpOptions {
  readonly modelUuid: string;
  /** The charm's. */
  readonly name: string;
  /** What its `revision` file says; 0 without. */
  readonly revision: number;
  /** The archive. */
  readonly file: string;
}

/** Uploads a charm archive (wire.md#charm-upload). Returns its URL: `local:<name>-<next free revision>`. */
export async function uploadCharm(options: CharmUpload): Promise<string> {
  const { modelUuid, name, revision, file } = options;
  const sha256 = await hashFile(file);
  const { headers, body } = await upload({
    ...options,
    method: 'PUT',
    path: charmPath(modelUuid, name, sha256),
    headers: { 'Juju-Curl': `local:${name}-${revision}` },
  });
  const url = headers['juju-curl'] ?? body['charm-url'];
  if (typeof url !== 'string')
    throw new JujuError('', `the controller did not name the charm ${name} it received`);
  return url;
}

export interface CharmDownload extends HttpOptions {
  readonly modelUuid: string;
  readonly url: string;
  /** Of its archive, in hex. */
  readonly sha256: string;
  /** Where the archive is to be. */
  readonly file: string;
}

/** Downloads a charm archive (wire.md#charm-download). Returns its size in bytes. Errors: as download. */
export function downloadCharm({ modelUuid, url, ...options }: CharmDownload): Promise<number> {
  const query = new URLSearchParams({ url, file: '*' });
  return download({ ...options, path: `/model/${modelUuid}/charms?${query.toString()}` });
}

export interface ImageUpload extends HttpOptions {
  /** `ubuntu@24.04` */
  readonly base: string;
  /** An archive of its root file system. */
  readonly file: string;
}

/** POST the archive of a root file system for machines of the controller's host. Returns what is known of it then. */
export async function uploadImage({ base, ...options }: ImageUpload): Promise<Record<string, unknown>> {
  const { body } = await upload({
    ...options,
    method: 'POST',
    path: `/local-images/${encodeURIComponent(base)}?sha256=${await hashFile(options.file)}`,
    headers: { 'Content-Type': 'application/x-tar' },
  });
  return body;
}

/** Where a charm's archive lies. `sha256` in hex. */
export function charmPath(modelUuid: string, name: string, sha256: string): string {
  return `/model-${modelUuid}/charms/${encodeURIComponent(name)}-${sha256.slice(0, 7)}`;
}

/** The `Authorization` and nonce headers of a login. */
export function authHeaders(login: HttpOptions['login']): Record<string, string> {
  return {
    Authorization: `Basic ${Buffer.from(`${login.tag}:${login.password}`).toString('base64')}`,
    ...(login.nonce !== undefined && { 'X-Juju-Nonce': login.nonce }),
  };
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Resolves with a successful answer, its body unread. Each request has a connection of its own. */
async function send(
  options: HttpOptions,
  address: string,
  { method, path, headers, file }: Request,
): Promise<Dispatcher.ResponseData> {
  const client = await clientOf(options, address);
  // A server that refuses early closes while we still write: its answer says more than our broken pipe.
  const body = file === undefined ? null : createReadStream(file);
  try {
    const response = await client.request({
      method,
      path,
      headers: { ...authHeaders(options.login), ...headers },
      body,
      signal: options.signal ?? null,
    });
    response.body.once('close', () => void client.destroy());
    if (response.statusCode < 400) return response;
    throw errorOf(response.statusCode, await readText(response));
  } catch (error) {
    body?.destroy();
    await client.destroy();
    throw toldAsIdle(error);
  }
}

interface Request {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as the body. */
  readonly file?: string;
}

/** It trusts the controller's CA only. undici is not loaded before the first request. */
async function clientOf({ caCert }: HttpOptions, address: string): Promise<Client> {
  // What is bundled has the names in its default export alone.
  const undici = (await import('undici')).default;
  return new undici.Client(`https://${address}`, {
    connect: { ca: caCert, servername: serverName, timeout: idleTimeoutMs },
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    allowH2: false,
    // No connection is kept alive.
    pipelining: 0,
  });
}

function toldAsIdle(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (!/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code ?? '')) return error;
  return new Error(`no answer for ${idleTimeoutMs / 1000} s`, { cause: error });
}

/** Both shapes: `{"error":{"message","code"}}` and `{"error":"text","error-code":"…"}`. */
function errorOf(status: number, text: string): JujuError {
  const body = parseObject(text);
  const error = body?.['error'];
  const nested = error && typeof error === 'object' ? (error as Record<string, unknown>) : undefined;
  const message = nested?.['message'] ?? error;
  const code = (nested ? nested['code'] : body?.['error-code']) ?? statusCodes[status] ?? '';
  return fromWireError({
    message:
      typeof message === 'string'
        ? message
        : `the controller answered ${status}${text && `: ${text.slice(0, 200)}`}`,
    code: typeof code === 'string' ? code : '',
  });
}

/** For answers that name no code. */
const statusCodes: Readonly<Record<number, string>> = {
  401: 'unauthorized access',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
};

async function readText({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > errorBodyMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseJson(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
