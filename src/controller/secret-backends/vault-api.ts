/** Requests to a Vault server, or to OpenBao, which has the same API. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { BackendConfig } from '../../core/secret-backend/config.ts';

/** How long the server may keep silent. */
const silenceMs = 10_000;

export interface VaultAnswer {
  readonly status: number;
  /** The JSON object that was answered; {} for no content. */
  readonly body: Readonly<Record<string, unknown>>;
}

export class VaultApi {
  readonly #name: string;
  readonly #config: BackendConfig;

  /** `config`: in clear. */
  constructor(name: string, config: BackendConfig) {
    this.#name = name;
    this.#config = config;
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
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const unreachable = (error: Error): void =>
        reject(
          this.error(
            `cannot be reached: ${plain(error.message || (error as NodeJS.ErrnoException).code || 'no connection')}`,
          ),
        );
      const request = send(
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
          ...defined({
            ca: this.#config['ca-cert'],
            cert: this.#config['client-cert'],
            key: this.#config['client-key'],
            servername: this.#config['tls-server-name'],
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
      request.on('timeout', () => request.destroy(new Error(`no answer for ${silenceMs / 1000} s`)));
      request.on('error', unreachable);
      request.end(text);
    });
  }
}

/** A server's words in one short line, which nobody takes for the answer that a secret is missing. */
function plain(text: string): string {
  return text.slice(0, 200).replace(/\s+/g, ' ').replaceAll('not found', 'unknown');
}
