/** The secret backends elsewhere, opened by their records. */
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { isSecretBackendKey, type BackendConfig } from '../../core/secret-backend/config.ts';
import type { SecretBackendDoc } from '../../core/secret-backend/document.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Sealer } from '../sealer.ts';
import { VaultApi } from './vault-api.ts';
import type { VaultTransport } from './vault-http.ts';
import { VaultBackend } from './vault.ts';

interface Parts {
  readonly store: Store<Entities>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Transport of requests to a Vault server; absent = HTTP. */
  readonly transport?: VaultTransport;
  readonly times?: Times;
}

interface Times {
  /** Time for which a backend's problem is remembered. */
  readonly rememberedMs: number;
  /** Maximum wait for a server by a mere check whether it answers. */
  readonly waitMs: number;
  /** Time for which a silent server counts as silent without another wait. */
  readonly silentMs: number;
}
const usualTimes: Times = { rememberedMs: 5_000, waitMs: 3_000, silentMs: 60_000 };

/** A check of a backend that is under way. */
interface Check {
  /** Problem that all callers are told; undefined = nothing is wrong. */
  answer: Promise<string | undefined>;
  /** Time until which no other question is asked. */
  until: number;
  /** Time until which the server counts as silent; 0 = it has answered. */
  silentUntil: number;
}

export class ExternalBackends {
  readonly #parts: Parts;
  readonly #times: Times;
  readonly #open = new Map<string, { readonly doc: SecretBackendDoc; readonly backend: VaultBackend }>();
  readonly #checks = new WeakMap<SecretBackendDoc, Check>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#times = parts.times ?? usualTimes;
  }

  /**
   * Problem of a backend, as it was found some seconds ago at most; undefined = nothing is wrong. All who ask meanwhile
   * share one question. A server that is silent is waited for a short time once in a while, by all together: others are
   * told at once that it was silent.
   */
  problemOf(doc: SecretBackendDoc): Promise<string | undefined> {
    const known = this.#checks.get(doc);
    const now = this.#parts.clock.now();
    if (known && now < known.until) return known.answer;
    const check: Check = { answer: Promise.resolve(undefined), until: Infinity, silentUntil: 0 };
    this.#checks.set(doc, check);
    const answer = this.#ask(doc, check);
    if (known && now < known.silentUntil) {
      check.answer = known.answer;
      check.silentUntil = known.silentUntil;
    } else check.answer = Promise.race([answer, this.#silence(doc, check, answer)]);
    return check.answer;
  }

  async #ask(doc: SecretBackendDoc, check: Check): Promise<string | undefined> {
    const { clock } = this.#parts;
    const { rememberedMs, waitMs } = this.#times;
    const began = clock.now();
    const problem = await Promise.resolve()
      .then(() => this.open(doc).check())
      .then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      );
    const now = clock.now();
    check.answer = Promise.resolve(problem);
    check.until = now + rememberedMs;
    if (now - began < waitMs) check.silentUntil = 0;
    return problem;
  }

  /** Resolves when the server has been silent for too long; never when it answers. */
  async #silence(doc: SecretBackendDoc, check: Check, answer: Promise<unknown>): Promise<string> {
    const { clock } = this.#parts;
    const { waitMs, silentMs } = this.#times;
    const answered = new AbortController();
    void answer.then(() => answered.abort());
    return clock.sleep(waitMs, answered.signal).then(
      () => {
        check.silentUntil = clock.now() + silentMs;
        return `secret backend "${doc.name}" has not answered for ${waitMs / 1000} s`;
      },
      () => new Promise<never>(() => undefined),
    );
  }

  /** The backend with the id. Errors: '' when it has been removed. */
  get(id: string): VaultBackend {
    const doc = this.#parts.store.read().get('secret-backend', id);
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
      api: new VaultApi(name, config, this.#parts.transport),
      clock: this.#parts.clock,
      controller: this.#parts.store.read().get('controller', 'self')?.uuid ?? '',
      mountPath: config['mount-path'] ?? '',
      modelName: (uuid) => this.#parts.store.read().get('model', uuid)?.name,
    });
  }

  sealConfig(config: BackendConfig): BackendConfig {
    return mapSecret(config, (value) => this.#parts.sealer.seal(value));
  }

  openConfig(config: BackendConfig): BackendConfig {
    return mapSecret(config, (value) => this.#parts.sealer.open(value));
  }
}

function mapSecret(config: BackendConfig, fn: (value: string) => string): BackendConfig {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, isSecretBackendKey(key) ? fn(value) : value]),
  );
}
