/** Transport of requests to a Vault server: HTTP, or HTTPS with the certificates of its backend's configuration. */
import { X509Certificate } from 'node:crypto';
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { defined } from '../../core/defined.ts';
import { limits } from '../../core/limits.ts';
import type { BackendConfig } from '../../core/secret-backend/config.ts';
import { onAbort } from '../../kit/on-abort.ts';
import { tlsProblem } from './vault-tls.ts';

interface Times {
  /** Time for which the server may keep silent. */
  readonly silenceMs: number;
  /** Maximum time of a whole answer. */
  readonly answerMs: number;
}

export interface VaultRequest {
  readonly method: string;
  /** Path below `/v1/`, with its segments encoded, and query. */
  readonly path: string;
  readonly body?: unknown;
  /** Ends the request with its reason. */
  readonly signal?: AbortSignal;
}

export interface VaultAnswer {
  readonly status: number;
  /** The JSON object that was answered; {} for no content. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Carries requests. Errors: a plain Error that goes on after the backend's name: `cannot be reached: …`. */
export type VaultTransport = (config: BackendConfig, request: VaultRequest) => Promise<VaultAnswer>;

export function vaultHttp(times: Times = { silenceMs: 10_000, answerMs: 60_000 }): VaultTransport {
  return (config, request) =>
    new Promise((resolve, reject) => {
      if (request.signal?.aborted) return reject(unreachable(request.signal.reason as Error));
      send(config, request, times, { resolve, reject });
    });
}

interface End {
  readonly resolve: (answer: VaultAnswer) => void;
  readonly reject: (error: Error) => void;
}

function send(config: BackendConfig, asked: VaultRequest, times: Times, { resolve, reject }: End): void {
  const { endpoint = '', token, namespace } = config;
  const { method, path, body, signal } = asked;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const fail = (error: Error): void => reject(unreachable(error, config));
  const options: RequestOptions = {
    method,
    timeout: times.silenceMs,
    agent: false,
    headers: defined({
      'x-vault-token': token,
      'x-vault-namespace': namespace,
      'x-vault-request': 'true',
      'content-type': text === undefined ? undefined : 'application/json',
    }),
  };
  const url = new URL(`${endpoint.replace(/\/$/, '')}/v1/${path}`);
  const request = open(config, url, options, (response) => {
    const pieces: Buffer[] = [];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > limits.secretBackendAnswer.max)
        return void response.destroy(new Error(`more than ${limits.secretBackendAnswer.max} bytes`));
      pieces.push(piece);
    });
    response.on('error', fail);
    response.on('end', () => {
      try {
        resolve(readAnswer(response, Buffer.concat(pieces).toString()));
      } catch (error) {
        reject(error as Error);
      }
    });
  });
  const giveUp = (why: Error): void => {
    fail(why);
    request.destroy();
  };
  const forget = signal && onAbort(signal, () => giveUp(signal.reason as Error));
  // A server that sends a little now and then is never silent.
  const noAnswer = new Error(`no whole answer for ${times.answerMs / 1000} s`);
  const timer = setTimeout(() => giveUp(noAnswer), times.answerMs);
  request.on('close', () => {
    clearTimeout(timer);
    forget?.();
  });
  request.on('timeout', () => giveUp(new Error(`no answer for ${times.silenceMs / 1000} s`)));
  request.on('error', fail);
  request.end(text);
}

function unreachable(error: Error, config: BackendConfig = {}): Error {
  const problem = tlsProblem(error, config);
  if (problem !== undefined) return new Error(problem, { cause: error });
  const why = error.message || (error as NodeJS.ErrnoException).code || 'no connection';
  return new Error(`cannot be reached: ${why}`, { cause: error });
}

function readAnswer(response: IncomingMessage, text: string): VaultAnswer {
  let body: unknown = {};
  try {
    if (text !== '') body = JSON.parse(text);
  } catch {
    const needsTls = response.statusCode === 400 && text.includes('HTTPS server');
    throw new Error(
      needsTls ? 'speaks TLS: its endpoint begins with https' : 'answered with something else than JSON',
    );
  }
  const isMap = typeof body === 'object' && body !== null && !Array.isArray(body);
  return { status: response.statusCode ?? 0, body: isMap ? (body as VaultAnswer['body']) : {} };
}

/** Begins a request. Errors: a plain Error for certificates and keys that cannot be read. */
function open(
  config: BackendConfig,
  url: URL,
  options: RequestOptions,
  onAnswer: (response: IncomingMessage) => void,
): ClientRequest {
  if (url.protocol !== 'https:') return httpRequest(url, options, onAnswer);
  const tls = defined({
    ca: config['ca-cert'],
    cert: config['client-cert'],
    key: config['client-key'],
    servername: config['tls-server-name'],
  });
  try {
    // Node passes over an authority that it cannot read, and would then only find the server's certificate unknown.
    if (tls.ca !== undefined) new X509Certificate(tls.ca);
    return httpsRequest(url, { ...options, ...tls }, onAnswer);
  } catch (error) {
    throw new Error(`has certificates or a key that cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
