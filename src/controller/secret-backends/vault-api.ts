/** Meaning of the answers of a Vault server, and of OpenBao, which has the same API. */
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import type { BackendConfig } from '../../core/secret-backend/config.ts';
import { vaultHttp, type VaultAnswer, type VaultRequest, type VaultTransport } from './vault-http.ts';

export class VaultApi {
  readonly #name: string;
  readonly #config: BackendConfig;
  readonly #transport: VaultTransport;

  /** `config`: with its secrets in clear. */
  constructor(name: string, config: BackendConfig, transport: VaultTransport = vaultHttp()) {
    this.#name = name;
    this.#config = config;
    this.#transport = transport;
  }

  /**
   * Sends a request; 404 is an answer. `path` is below `/v1/`, and its segments are encoded. Errors: JujuError that
   * says whether the server cannot be reached, is sealed, or does not let the controller in.
   */
  async send(
    method: string,
    path: string,
    { body, signal }: Pick<VaultRequest, 'body' | 'signal'> = {},
  ): Promise<VaultAnswer> {
    const answer = await this.#request({ method, path, body, ...defined({ signal }) });
    const { status } = answer;
    if (status < 300 || status === 404) return answer;
    if (status === 503) throw this.error('is sealed, or a standby without its leader');
    if (status === 403) throw this.error('does not accept the token for this');
    const errors = answer.body['errors'];
    const why = Array.isArray(errors) && typeof errors[0] === 'string' ? `: ${errors[0]}` : '';
    throw this.error(`answered with status ${status}${why}`);
  }

  error(what: string, cause?: unknown): JujuError {
    return new JujuError('', `secret backend "${this.#name}" ${plain(what)}`, { cause });
  }

  /** Whether the server answers and is ready. Errors: as send. */
  async health(): Promise<void> {
    const path = 'sys/health?standbyok=true&perfstandbyok=true';
    // Servers answer this outside of namespaces only.
    const { namespace: _, ...config } = this.#config;
    const { status } = await this.#request({ method: 'GET', path }, config);
    if (status === 501) throw this.error('is not initialized');
    if (status === 503) throw this.error('is sealed');
    if (status >= 300) throw this.error(`answered with status ${status}: no Vault server is there`);
  }

  async #request(request: VaultRequest, config = this.#config): Promise<VaultAnswer> {
    try {
      return await this.#transport(config, request);
    } catch (error) {
      throw this.error((error as Error).message, error);
    }
  }
}

/** A server's words in one short line, without the words by which charms tell other cases (secrets.md#backend-down). */
function plain(text: string): string {
  const line = text.slice(0, 300).replace(/\s+/g, ' ');
  return line.replace(/not found/gi, 'unknown').replace(/permission denied/gi, 'refused');
}
