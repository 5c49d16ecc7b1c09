/**
 * One firewall for all machines of a model, where the cloud has one for each instance: every instance gets all the
 * rules. What they are is kept in the state folder, for the instances that come later and for the next controller.
 */
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { JujuError } from '../core/errors.ts';
import { timeLimit } from '../kit/clock.ts';
import { createLocks } from '../kit/locks.ts';
import { readJson, writeJson } from './json-file.ts';
import {
  ProviderError,
  type Environ,
  type OpenParams,
  type PortRule,
  type StartParams,
  type StartResult,
} from './provider.ts';

type InstanceFirewall = Extract<Environ['firewall'], { mode: 'instance' }>;
type GlobalFirewall = Extract<Environ['firewall'], { mode: 'global' }>;

/** The environment with the firewall that its model asks for; without any it stays so. */
export function withFirewallMode(environ: Environ, open: OpenParams): Environ {
  if (open.firewallMode === 'none') return { ...environ, firewall: { mode: 'none' } };
  if (open.firewallMode !== 'global' || environ.firewall.mode !== 'instance') return environ;
  return withGlobalFirewall(environ, environ.firewall, open);
}

interface State {
  readonly controllerUuid: string;
  readonly rules: readonly PortRule[];
  /** Every instance has them; false after a crash or a failure in the middle. */
  readonly applied: boolean;
}

/** At once: each may run programs, or ask a server. */
const batch = 16;
/** Milliseconds that one instance's firewall may take: the others, and new ones, wait for it. */
const oneMs = 60_000;

/** By folder: a model may be opened more than once. */
const locks = createLocks();

function withGlobalFirewall(environ: Environ, each: InstanceFirewall, open: OpenParams): Environ {
  const { instances, startGroup } = environ;
  // Not `.json`: providers keep records of their own there.
  const file = join(open.stateDir, open.modelUuid, 'firewall.global');
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => locks(file, work);

  const read = async (): Promise<State> => {
    const state = await readJson<State>(file);
    return state?.controllerUuid === open.controllerUuid
      ? state
      : { controllerUuid: open.controllerUuid, rules: [], applied: true };
  };

  const setOne = async (id: string, rules: readonly PortRule[], outer?: AbortSignal): Promise<void> => {
    const { signal, done } = timeLimit(open.clock, oneMs, outer);
    try {
      await each.set(id, rules, signal);
    } finally {
      done();
    }
  };

  const apply = async (rules: readonly PortRule[], signal: AbortSignal): Promise<void> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const state = { controllerUuid: open.controllerUuid, rules };
    await writeJson(file, { ...state, applied: false } satisfies State);
    const ids = (await instances.list(signal)).map(({ id }) => id);
    const failures: unknown[] = [];
    for (let first = 0; first < ids.length; first += batch) {
      signal.throwIfAborted();
      const outcomes = await Promise.allSettled(
        ids.slice(first, first + batch).map((id) => setOne(id, rules, signal).catch(unlessGone)),
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
    await writeJson(file, { ...state, applied: true } satisfies State);
  };

  const firewall: GlobalFirewall = {
    mode: 'global',
    set: (rules, signal) => exclusive(() => apply(rules, signal)),
    rules: (signal) =>
      exclusive(async () => {
        const { rules, applied } = await read();
        if (!applied) await apply(rules, signal);
        return rules;
      }),
  };

  /** A newcomer has what the others have before anybody is told of it. The instance is there: not to be cancelled. */
  const admit = (result: StartResult): Promise<StartResult> =>
    exclusive(async () => {
      const { rules } = await read();
      if (rules.length === 0) return result;
      try {
        await setOne(result.instance.id, rules);
      } catch (error) {
        throw new ProviderError('transient', `its open ports could not be set: ${(error as Error).message}`, {
          cause: error,
        });
      }
      return result;
    });

  const forget = async (): Promise<void> => {
    if ((await readJson<State>(file))?.controllerUuid !== open.controllerUuid) return;
    await rm(file, { force: true });
    await rmdir(dirname(file)).catch(() => undefined);
  };

  return {
    ...environ,
    instances: {
      ...instances,
      start: async (params, signal) => admit(await instances.start(params, signal)),
    },
    ...(startGroup && {
      startGroup: {
        ...startGroup,
        start: async (params: readonly StartParams[], signal: AbortSignal) =>
          Promise.all(
            (await startGroup.start(params, signal)).map(async (outcome) =>
              outcome instanceof ProviderError
                ? outcome
                : admit(outcome).catch((error: unknown) => error as ProviderError),
            ),
          ),
      },
    }),
    firewall,
    destroyModel: async (signal) => {
      await environ.destroyModel(signal);
      await exclusive(forget);
    },
  };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof JujuError && error.code === 'not found')) throw error;
}
