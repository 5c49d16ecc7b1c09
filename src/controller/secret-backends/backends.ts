/** The secret backends elsewhere, opened by their records. */
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { isSecretBackendKey, type BackendConfig } from '../../core/secret-backend/config.ts';
import type { SecretBackendDoc } from '../../core/secret-backend/document.ts';
import type { Store } from '../../store/store.ts';
import type { Sealer } from '../sealer.ts';
import { VaultApi } from './vault-api.ts';
import { VaultBackend } from './vault.ts';

export class ExternalBackends {
  readonly #store: Store<Entities>;
  readonly #sealer: Sealer;
  readonly #open = new Map<string, { readonly doc: SecretBackendDoc; readonly backend: VaultBackend }>();

  constructor(store: Store<Entities>, sealer: Sealer) {
    this.#store = store;
    this.#sealer = sealer;
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
