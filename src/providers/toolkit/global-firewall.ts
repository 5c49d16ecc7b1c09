/**
 * One firewall for all machines of a model, on clouds that have a firewall per instance: every instance gets all rules.
 * The rules are kept in the state folder for later instances and for the next controller.
 */
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { JujuError } from '../../core/errors.ts';
import { timeLimit } from '../../kit/clock.ts';
import { createLocks } from '../../kit/locks.ts';
import { readJson, writeJson } from './json-file.ts';
import {
  firstRules,
  ProviderError,
  type Environ,
  type OpenParams,
  type PortRule,
  type StartParams,
  type StartResult,
} from '../contract/provider.ts';
import { makeFolder } from '../../kit/make-folder.ts';

type InstanceFirewall = Extract<Environ['firewall'], { mode: 'instance' }>;

/**
 * Returns the environment with the firewall mode that its model requests; an environment without a firewall is
 * unchanged.
 */
export function withFirewallMode(environ: Environ, open: OpenParams): Environ {
  if (open.firewallMode === 'none') return { ...environ, firewall: { mode: 'none' } };
  if (open.firewallMode !== 'global' || environ.firewall.mode !== 'instance') return environ;
  return withGlobalFirewall(environ, environ.firewall, open);
}

interface State {
  readonly controllerUuid: string;
  readonly rules: readonly PortRule[];
  /** True when every instance has the rules; false after a crash or a partial failure. */
  readonly applied: boolean;
}

/** Number of instances updated concurrently: each update may run programs or call a server. */
const batch = 16;
/** Time limit in milliseconds for one instance's firewall: other instances and new ones wait for it. */
const oneMs = 60_000;

/** Locks by folder: a model may be opened more than once. */
const locks = createLocks();

function withGlobalFirewall(environ: Environ, instanceFirewall: InstanceFirewall, open: OpenParams): Environ {
  const { instances, startGroup } = environ;
  const rules = new GlobalRules(instances, instanceFirewall, open);
  return {
    ...environ,
    instances: {
      ...instances,
      start: async (params, signal) => rules.admit(await instances.start(params, signal)),
    },
    ...(startGroup && {
      startGroup: {
        ...startGroup,
        start: async (params: readonly StartParams[], signal: AbortSignal) =>
          Promise.all(
            (await startGroup.start(params, signal)).map(async (outcome) =>
              outcome instanceof ProviderError
                ? outcome
                : rules.admit(outcome).catch((error: unknown) => error as ProviderError),
            ),
          ),
      },
    }),
    firewall: {
      mode: 'global',
      set: (wanted, signal) => rules.set(wanted, signal),
      rules: (signal) => rules.get(signal),
    },
    destroyModel: async (signal) => {
      await environ.destroyModel(signal);
      await rules.forget();
    },
  };
}

/** Rules of a model: in its file and on the firewall of each of its instances. */
class GlobalRules {
  readonly #instances: Environ['instances'];
  readonly #instanceFirewall: InstanceFirewall;
  readonly #open: OpenParams;
  readonly #file: string;

  constructor(instances: Environ['instances'], instanceFirewall: InstanceFirewall, open: OpenParams) {
    this.#instances = instances;
    this.#instanceFirewall = instanceFirewall;
    this.#open = open;
    // The extension is not `.json`: providers keep records of their own with that one.
    this.#file = join(open.stateDir, open.modelUuid, 'firewall.global');
  }

  set(rules: readonly PortRule[], signal: AbortSignal): Promise<void> {
    return locks(this.#file, () => this.#apply(rules, signal));
  }

  get(signal: AbortSignal): Promise<readonly PortRule[]> {
    return locks(this.#file, async () => {
      const { rules, applied } = await this.#read();
      if (!applied) await this.#apply(rules, signal);
      return rules;
    });
  }

  /** Applies the rules to a new instance before its start is reported. Not cancellable, because the instance exists. */
  admit(result: StartResult): Promise<StartResult> {
    return locks(this.#file, async () => {
      const { rules } = await this.#read();
      if (isDeepStrictEqual(rules, firstRules)) return result;
      try {
        await this.#setOne(result.instance.id, rules);
      } catch (error) {
        throw new ProviderError('transient', `its open ports could not be set: ${(error as Error).message}`, {
          cause: error,
        });
      }
      return result;
    });
  }

  forget(): Promise<void> {
    return locks(this.#file, async () => {
      if ((await readJson<State>(this.#file))?.controllerUuid !== this.#open.controllerUuid) return;
      await rm(this.#file, { force: true });
      await rmdir(dirname(this.#file)).catch(() => undefined);
    });
  }

  async #read(): Promise<State> {
    const { controllerUuid } = this.#open;
    const state = await readJson<State>(this.#file);
    return state?.controllerUuid === controllerUuid
      ? state
      : { controllerUuid, rules: firstRules, applied: true };
  }

  async #setOne(id: string, rules: readonly PortRule[], outer?: AbortSignal): Promise<void> {
    const { signal, done } = timeLimit(this.#open.clock, oneMs, outer);
    try {
      await this.#instanceFirewall.set(id, rules, signal);
    } finally {
      done();
    }
  }

  async #apply(rules: readonly PortRule[], signal: AbortSignal): Promise<void> {
    await makeFolder(dirname(this.#file), 0o700);
    const state = { controllerUuid: this.#open.controllerUuid, rules };
    await writeJson(this.#file, { ...state, applied: false } satisfies State);
    const ids = (await this.#instances.list(signal)).map(({ id }) => id);
    const failures: unknown[] = [];
    for (let first = 0; first < ids.length; first += batch) {
      signal.throwIfAborted();
      const outcomes = await Promise.allSettled(
        ids.slice(first, first + batch).map((id) => this.#setOne(id, rules, signal).catch(unlessGone)),
      );
      failures.push(
        ...outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
      );
    }
    signal.throwIfAborted();
    if (failures.length > 0) {
      const message = `the open ports of ${failures.length} of ${ids.length} instances could not be set`;
      throw new ProviderError('transient', `${message}: ${(failures[0] as Error).message}`, {
        cause: new AggregateError(failures, message),
      });
    }
    await writeJson(this.#file, { ...state, applied: true } satisfies State);
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof JujuError && error.code === 'not found')) throw error;
}
