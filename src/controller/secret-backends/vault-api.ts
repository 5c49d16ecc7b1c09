/** Requests to a Vault server, or to OpenBao, which has the same API. */
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { BackendConfig } from '../../core/secret-backend/config.ts';

interface Times {
  /** How long the server may keep silent. */
  readonly silenceMs: number;
  /** How long a whole answer may take. */
  readonly answerMs: number;
}

export interface VaultAnswer {
  readonly status: number;
  /** The JSON object that was answered; {} for no content. */
  readonly body: Readonly<Record<string, unknown>>;
}

export class VaultApi {
  readonly #name: string;
  readonly #config: BackendConfig;
  readonly #times: Times;

  /** `config`: in clear. */
  constructor(name: string, config: BackendConfig, times: Times = { silenceMs: 10_000, answerMs: 60_000 }) {
    this.#name = name;
    this.#config = config;
    this.#times = times;
  }

  /**
   * Sends a request; 404 is an answer. `path` is below `/v1/`, and its segments are encoded. Errors: JujuError that says
   * whether the server cannot be reached, is sealed, or does not let the controller in.
   */
  async send(method: string, path: string, body?: unknown): Promise<VaultAnswer> {
    const answer = await this.#request(method, path, body);
    const { status } = answer;
    if (status < 300 || status === 404) return answer;
    if (status === 503) throw this.error('is sealed, or a standby without its leader');
    if (status === 403) throw this.error('does not accept the token for this');
    const errors = answer.body['errors'];
    const why = Array.isArray(errors) && typeof errors[0] === 'string' ? `: ${plain(errors[0])}` : '';
    throw this.error(`answered with status ${status}${why}`);
  }

  error(what: string, cause?: unknown): JujuError {
    return new JujuError('', `secret backend "${this.#name}" ${what}`, { cause });
  }

  /** Whether the server answers and is ready. Errors: as send. */
  async health(): Promise<void> {
    const { status } = await this.#request('GET', 'sys/health?standbyok=true&perfstandbyok=true');
    if (status === 501) throw this.error('is not initialized');
    if (status === 503) throw this.error('is sealed');
    if (status >= 300) throw this.error(`answered with status ${status}: no Vault server is there`);
  }

  #request(method: string, path: string, body?: unknown): Promise<VaultAnswer> {
    const { endpoint = '', token, namespace } = this.#config;
    const url = new URL(`${endpoint.replace(/\/$/, '')}/v1/${path}`);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { silenceMs, answerMs } = this.#times;
    return new Promise((resolve, reject) => {
      const unreachable = (error: Error): void =>
        reject(
          this.error(
            `cannot be reached: ${plain(error.message || (error as NodeJS.ErrnoException).code || 'no connection')}`,
          ),
        );
      const request = this.#open(
        url,
        {
          method,
          timeout: silenceMs,
          agent: false,
          headers: defined({
            'x-vault-token': token,
            'x-vault-namespace': namespace,
            'x-vault-request': 'true',
            'content-type': text === undefined ? undefined : 'application/json',
          }),
        },
        (response) => {
          const pieces: Buffer[] = [];
          let size = 0;
          response.on('data', (piece: Buffer) => {
            size += piece.length;
            if (size > limits.secretBackendAnswer.max)
              return void response.destroy(new Error(`more than ${limits.secretBackendAnswer.max} bytes`));
            pieces.push(piece);
          });
          response.on('error', unreachable);
          response.on('end', () => {
            try {
              const answer: unknown = size === 0 ? {} : JSON.parse(Buffer.concat(pieces).toString());
              const isMap = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
              resolve({
                status: response.statusCode ?? 0,
                body: isMap ? (answer as VaultAnswer['body']) : {},
              });
            } catch {
              reject(this.error('answered with something else than JSON'));
            }
          });
        },
      );
      const giveUp = (why: string): void => {
        unreachable(new Error(why));
        request.destroy();
      };
      // A server that sends a little now and then is never silent.
      const timer = setTimeout(() => giveUp(`no whole answer for ${answerMs / 1000} s`), answerMs);
      request.on('close', () => clearTimeout(timer));
      request.on('timeout', () => giveUp(`no answer for ${silenceMs / 1000} s`));
      request.on('error', unreachable);
      request.end(text);
    });
  }

  /** Begins a request. Errors: JujuError for certificates and keys that cannot be read. */
  #open(url: URL, options: RequestOptions, onAnswer: (response: IncomingMessage) => void): ClientRequest {
    if (url.protocol !== 'https:') return httpRequest(url, options, onAnswer);
    const tls = defined({
      ca: this.#config['ca-cert'],
      cert: this.#config['client-cert'],
      key: this.#config['client-key'],
      servername: this.#config['tls-server-name'],
    });
    try {
      return httpsRequest(url, { ...options, ...tls }, onAnswer);
    } catch (error) {
      throw this.error(`has certificates or a key that cannot be read: ${plain((error as Error).message)}`);
    }
  }
}

/** A server's words in one short line, without those by which charms tell other cases (secrets.md#backend-down). */
function plain(text: string): string {
  const line = text.slice(0, 200).replace(/\s+/g, ' ');
  return line.replace(/not found/gi, 'unknown').replace(/permission denied/gi, 'refused');
}
