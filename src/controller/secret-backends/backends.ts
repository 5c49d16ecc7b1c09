/** The secret backends elsewhere, opened by their records. */
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { isSecretBackendKey, type BackendConfig } from '../../core/secret-backend/config.ts';
import type { SecretBackendDoc } from '../../core/secret-backend/document.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Sealer } from '../sealer.ts';
import { VaultApi } from './vault-api.ts';
import { VaultBackend } from './vault.ts';

interface Times {
  /** How long it is remembered what is wrong with a backend. */
  readonly rememberedMs: number;
  /** How long a server is waited for by who only wants to know whether it is there. */
  readonly waitMs: number;
}

export class ExternalBackends {
  readonly #store: Store<Entities>;
  readonly #sealer: Sealer;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #times: Times;
  readonly #open = new Map<string, { readonly doc: SecretBackendDoc; readonly backend: VaultBackend }>();
  /** What was found wrong, by the backend's record, and until when that is remembered. */
  readonly #checks = new WeakMap<
    SecretBackendDoc,
    { readonly problem: Promise<string | undefined>; until: number }
  >();

  constructor(
    store: Store<Entities>,
    sealer: Sealer,
    clock: Pick<Clock, 'now'>,
    times: Times = { rememberedMs: 5_000, waitMs: 3_000 },
  ) {
    this.#store = store;
    this.#sealer = sealer;
    this.#clock = clock;
    this.#times = times;
  }

  /**
   * What is wrong with a backend, as it was found some seconds ago at most; undefined = nothing. All who ask meanwhile
   * share one check, and none waits long for a server that is silent.
   */
  async problemOf(doc: SecretBackendDoc): Promise<string | undefined> {
    const { waitMs } = this.#times;
    const late = Promise.withResolvers<string>();
    const timer = setTimeout(
      () => late.resolve(`secret backend "${doc.name}" has not answered for ${waitMs / 1000} s`),
      waitMs,
    );
    try {
      return await Promise.race([this.#check(doc), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #check(doc: SecretBackendDoc): Promise<string | undefined> {
    const known = this.#checks.get(doc);
    if (known && this.#clock.now() < known.until) return known.problem;
    const ask = async (): Promise<string | undefined> => {
      try {
        await this.open(doc).check();
        return undefined;
      } catch (error) {
        return (error as Error).message;
      } finally {
        check.until = this.#clock.now() + this.#times.rememberedMs;
      }
    };
    const check = { problem: Promise.resolve().then(ask), until: Infinity };
    this.#checks.set(doc, check);
    return check.problem;
  }

  /** The backend with the id. Errors: '' when it has been removed. */
  get(id: string): VaultBackend {
    const doc = this.#store.read().get('secret-backend', id);
    if (!doc) {
      this.#open.delete(id);
      throw new JujuError('', `the secret backend ${id} has been removed`);
    }
    const known = this.#open.get(id);
    if (known?.doc === doc) return known.backend;
    const backend = this.open(doc);
    this.#open.set(id, { doc, backend });
    return backend;
  }

  /** Opens a backend that need not be in the store. */
  open(doc: Pick<SecretBackendDoc, 'id' | 'name' | 'config'>): VaultBackend {
    const { id, name } = doc;
    const config = this.openConfig(doc.config);
    return new VaultBackend({
      id,
      api: new VaultApi(name, config),
      controller: this.#store.read().get('controller', 'self')?.uuid ?? '',
      mountPath: config['mount-path'] ?? '',
      modelName: (uuid) => this.#store.read().get('model', uuid)?.name,
    });
  }

  sealConfig(config: BackendConfig): BackendConfig {
    return mapSecret(config, (value) => this.#sealer.seal(value));
  }

  openConfig(config: BackendConfig): BackendConfig {
    return mapSecret(config, (value) => this.#sealer.open(value));
  }
}

function mapSecret(config: BackendConfig, fn: (value: string) => string): BackendConfig {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, isSecretBackendKey(key) ? fn(value) : value]),
  );
}
