/**
 * HTTPS requests beside the WebSocket: charm archives in both directions, uploads of root file systems
 * (wire.md#charm-upload).
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Client, Dispatcher } from 'undici';
import { JujuError } from '../core/errors.ts';
import { parseJson } from '../core/parse-json.ts';
import { fromWireError } from '../wire/errors.ts';
import { firstThatAnswers, serverName } from './connect.ts';
import type { Credentials } from './connection.ts';
import { defined } from '../core/defined.ts';
import { asIdleError, idleTimeoutMs, writeBody, writing } from './write-body.ts';

/** Controller and login of a request. `login` is as in ConnectOptions and is sent as Basic authorization. */
export interface HttpOptions {
  readonly addresses: readonly string[];
  readonly caCert: string;
  readonly login: Credentials;
  readonly signal?: AbortSignal;
}

const errorBodyMax = 1024 * 1024;

/**
 * Downloads `path` (GET) to `file`. The file appears only when it is complete and has this SHA-256 (hex), by default
 * the one that the answer's header `X-SHA256` names. Returns its size in bytes. Errors: JujuError of the answer; `not
 * valid` when the checksum differs; `try again` when no address answers; those of `writing`.
 */
export async function download(
  options: HttpOptions & {
    readonly path: string;
    readonly file: string;
    readonly sha256?: string;
  },
): Promise<number> {
  const partial = `${options.file}.partial`;
  return firstThatAnswers(options.addresses, options.signal, async (address) => {
    const response = await send(options, address, { method: 'GET', path: options.path });
    const hash = createHash('sha256');
    let size = 0;
    const onPiece = (piece: Buffer): void => {
      hash.update(piece);
      size += piece.length;
    };
    try {
      await writeBody(response, partial, { flags: 'w', onPiece });
      const actual = hash.digest('hex');
      const expected = options.sha256 ?? String(response.headers['x-sha256']);
      if (actual !== expected)
        throw new JujuError('not valid', `${options.path} has SHA-256 ${actual}, expected ${expected}`);
      await writing(options.file, rename(partial, options.file));
      return size;
    } finally {
      await rm(partial, { force: true });
    }
  });
}

/** Sends `file` as the request's body. Returns the answer's headers and JSON. Errors: as download. */
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
  /** Name of the charm. */
  readonly name: string;
  /** Number in the charm's `revision` file; 0 without that file. */
  readonly revision: number;
  /** Path of the archive. */
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
  if (typeof url !== 'string') throw new JujuError('', `the controller returned no URL for charm ${name}`);
  return url;
}

export interface CharmDownload extends HttpOptions {
  readonly modelUuid: string;
  readonly url: string;
  /** SHA-256 of the archive, in hex. */
  readonly sha256: string;
  /** Path where the archive is written. */
  readonly file: string;
}

/** Downloads a charm archive (wire.md#charm-download). Returns its size in bytes. Errors: as download. */
export function downloadCharm({ modelUuid, url, ...options }: CharmDownload): Promise<number> {
  const query = new URLSearchParams({ url, file: '*' });
  return download({ ...options, path: `/model/${modelUuid}/charms?${query.toString()}` });
}

export interface ImageUpload extends HttpOptions {
  /** Base, as in `ubuntu@24.04`. */
  readonly base: string;
  /** Path of an archive of the base's root file system. */
  readonly file: string;
}

/**
 * Uploads (POST) the archive of a root file system for machines on the controller's host. Returns the image's record as
 * the controller answers it.
 */
export async function uploadImage({ base, ...options }: ImageUpload): Promise<Record<string, unknown>> {
  const { body } = await upload({
    ...options,
    method: 'POST',
    path: `/local-images/${encodeURIComponent(base)}?sha256=${await hashFile(options.file)}`,
    headers: { 'Content-Type': 'application/x-tar' },
  });
  return body;
}

export interface ProgramUpload extends HttpOptions {
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
  readonly file: string;
}

/** Uploads a file of a program for the controller. */
export async function uploadProgram({ sha256, ...options }: ProgramUpload): Promise<void> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  await upload({ ...options, method: 'PUT', path: `/programs/${sha256}`, headers });
}

/** Path of a charm's archive on the controller. `sha256` in hex. */
export function charmPath(modelUuid: string, name: string, sha256: string): string {
  return `/model-${modelUuid}/charms/${encodeURIComponent(name)}-${sha256.slice(0, 7)}`;
}

/** Returns the headers of a login: `Authorization`, nonce, macaroons. */
export function authHeaders(login: HttpOptions['login']): Record<string, string> {
  return {
    Authorization: `Basic ${Buffer.from(`${login.tag}:${login.password}`).toString('base64')}`,
    ...defined({
      'X-Juju-Nonce': login.nonce,
      Macaroons: login.macaroons
        ?.map((slice) => Buffer.from(JSON.stringify(slice)).toString('base64'))
        .join(),
    }),
  };
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Sends a request and resolves with a successful answer whose body is unread. Each request has its own connection. */
export async function send(
  options: HttpOptions,
  address: string,
  { method, path, headers, file, text }: HttpRequest,
): Promise<Dispatcher.ResponseData> {
  const client = await clientOf(options, address);
  // The server's answer takes precedence over a broken pipe: a server that refuses early closes the socket during the
  // upload.
  const body = file === undefined ? null : createReadStream(file);
  try {
    const response = await client.request({
      method,
      path,
      headers: { ...authHeaders(options.login), ...headers },
      body: body ?? text ?? null,
      signal: options.signal ?? null,
    });
    response.body.once('close', () => void client.destroy());
    if (response.statusCode < 400) return response;
    throw errorOf(response.statusCode, await readText(response));
  } catch (error) {
    body?.destroy();
    await client.destroy();
    throw asIdleError(error);
  }
}

interface HttpRequest {
  readonly method: 'DELETE' | 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Path of the file that is sent as the body. */
  readonly file?: string;
  /** Text that is sent as the body. */
  readonly text?: string;
}

/** Makes an HTTP client that trusts only the controller's CA. undici is not loaded before the first request. */
async function clientOf({ caCert }: HttpOptions, address: string): Promise<Client> {
  // The bundled undici has its names only in the default export.
  const undici = (await import('undici')).default;
  return new undici.Client(`https://${address}`, {
    connect: { ca: caCert, servername: serverName, timeout: idleTimeoutMs },
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    allowH2: false,
    // Pipelining of 0 turns keep-alive off.
    pipelining: 0,
  });
}

/**
 * Reads each shape of an error: `{"error":{"message","code"}}`, `{"error":"text","error-code":"…"}` or
 * `{"message","code"}`.
 */
function errorOf(status: number, text: string): JujuError {
  const body = parseObject(text);
  const error = body?.['error'];
  const nested =
    error && typeof error === 'object'
      ? (error as Record<string, unknown>)
      : error === undefined
        ? body
        : undefined;
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

/** Error codes by HTTP status, for answers that name no code. */
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
