/** Vault server of the simulated world, which outlives the controller's processes, and fails as servers do. */
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { readContentKey } from '../../core/secret/content-key.ts';
import { onAbort } from '../../kit/on-abort.ts';
import type { VaultTransport } from '../../controller/secret-backends/vault-http.ts';
import { VaultState } from '../vault-state.ts';
import type { Faults } from '../../forecast/world/faults.ts';
import type { SimProcess } from '../../forecast/world/process.ts';
import { onlyResult, type Results } from './results.ts';
import type { Reader } from '../../store/store.ts';
import type { Scheduler } from '../../forecast/world/scheduler.ts';
import type { Command } from './script.ts';
import type { SimOperator } from './world.ts';

/** Time in milliseconds that the controller waits for a silent server. */
const silenceMs = 10_000;
const outageMs = 90_000;
const quickMs = 20;
/** Maximum delay in milliseconds of a server that is slow without being silent. */
const slowMs = 9_000;

export class SimVault {
  readonly #state = new VaultState();
  readonly #scheduler: Scheduler;
  readonly #faults: Faults;
  #awayUntil = 0;

  constructor({ scheduler, faults }: { readonly scheduler: Scheduler; readonly faults: Faults }) {
    this.#scheduler = scheduler;
    this.#faults = faults;
  }

  heal(): void {
    this.#awayUntil = 0;
  }

  /** Whether the server has the content of a key. */
  has(key: string): boolean {
    const { name, model } = readContentKey(key);
    return this.contents().some(({ of, entry }) => of === model && entry === name.replaceAll('/', '-'));
  }

  /** Returns everything that the server keeps: entries of models; an empty engine is an entry '' of its model. */
  contents(): { readonly of: string; readonly entry: string }[] {
    return this.#state.engines().flatMap(({ description, data }) => {
      const of = description.split(' ').at(-1) ?? '';
      return [{ of, entry: '' }, ...[...data.keys()].map((entry) => ({ of, entry }))];
    });
  }

  /** Returns the transport of a process's requests. */
  transport(process: SimProcess): VaultTransport {
    return (config, request) =>
      new Promise((resolve, reject) => {
        const { method, path, body = {}, signal } = request;
        const faults = this.#faults;
        const fail = (ms: number, why: string): void =>
          void process.after(ms, 'vault fails', () => reject(new Error(`cannot be reached: ${why}`)));
        if (signal?.aborted) return reject(signal.reason as Error);
        if (signal) onAbort(signal, () => reject(signal.reason as Error));
        if (!process.does('vault', `${method} ${path}`)) return;
        const { now } = this.#scheduler;
        if (faults.happens('vault-away'))
          this.#awayUntil = now + faults.stream('vault-away').skewed(100, outageMs);
        if (now < this.#awayUntil) return fail(1, 'connection refused');
        if (faults.happens('vault-silent')) return fail(silenceMs, 'no answer for 10 s');
        const slow = faults.happens('vault-slow');
        const wayMs = faults.stream('vault-slow').skewed(1, slow ? slowMs / 2 : quickMs);
        // The request arrives, even if its sender dies before.
        this.#scheduler.after(wayMs, 'vault', 'request', () => {
          const isFailed = faults.happens('vault-failed');
          const [status, answer] = isFailed
            ? [500, { errors: ['storage failed'] }]
            : this.#answer(method, path, config['token'] ?? '', body);
          if (faults.happens('vault-answer-lost')) return fail(silenceMs, 'no answer for 10 s');
          process.after(wayMs, 'vault answers', () =>
            resolve({ status, body: structuredClone((answer ?? {}) as Record<string, unknown>) }),
          );
        });
      });
  }

  #answer(method: string, path: string, token: string, body: unknown): [number, unknown?] {
    const [pathname = '', query] = path.split('?');
    return this.#state.answer({
      method,
      path: pathname,
      list: query === 'list=true',
      token,
      body: structuredClone(body) as Record<string, unknown>,
    });
  }
}

/** Returns the command that chooses a backend, after adding the server as one. Errors: those of that call. */
export async function backendSetting(
  operator: SimOperator,
  view: Reader<Entities>,
  backend: 'vault' | 'internal',
): Promise<Extract<Command, { do: 'model-config' }>> {
  if (backend === 'vault' && view.in('').count('secret-backend') === 0) await addVault(operator);
  return { do: 'model-config', option: 'secret-backend', value: backend };
}

async function addVault(operator: SimOperator): Promise<void> {
  const config = { endpoint: 'http://vault', token: 'root' };
  const args = [{ name: 'vault', 'backend-type': 'vault', config }];
  try {
    onlyResult(await operator.call<Results>(undefined, 'SecretBackends', 'AddSecretBackends', { args }));
  } catch (error) {
    if (!(error instanceof JujuError) || error.code !== 'already exists') throw error;
  }
}
