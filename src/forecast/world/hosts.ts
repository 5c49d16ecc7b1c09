/** Units of a machine: their files outlive the agent; hooks take simulated time. */
import { JujuError } from '../../core/errors.ts';
import { formatDuration } from '../../core/duration.ts';
import type { UnitHost, UnitHosts, UnitRun } from '../../agent/unit/unit-host.ts';
import type { HookResult } from '../../hooks/run-hook.ts';
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import type { StorageDisk } from './storage-host.ts';
import type { Behaviour, Durations, HookEvent } from './behaviour.ts';
import { defined } from '../../core/defined.ts';

/** Unit → URL of the charm in its folder; '' = none yet; with `half ` before it while files of two charms are there. */
export type UnitDisk = Map<string, string>;

interface HostsOptions {
  readonly process: SimProcess;
  readonly disk: UnitDisk;
  /** Saved states of units' agents. */
  readonly states: Map<string, string>;
  readonly faults: Faults;
  /** Returns what stands for the code of the charm of that URL. */
  readonly behaviour: (url: string) => Behaviour;
  /** Known durations; absent = they are drawn. */
  readonly durations: Durations | undefined;
  readonly storage: Pick<StorageDisk, 'use'>;
  /** Fetches a charm over the network, and fails when the network does. */
  readonly fetchCharm: (signal: AbortSignal) => Promise<void>;
  readonly tell: (event: Omit<HookEvent, 'at' | 'instance' | 'machine'>) => void;
}

const hookMs = [20, 4_000] as const;
const slowHookMs = 600_000;
const cancelMs = 10_000;
const deployMs = [50, 5_000] as const;
/** Number of tries of a download in one call of resource-get. */
const downloadTries = 3;

export function simUnitHosts(options: HostsOptions): UnitHosts {
  const { process, disk, states } = options;
  return {
    async open(unit) {
      await process.clock.sleep(process.random.skewed(1, 50));
      if (process.does('open unit', unit) && !disk.has(unit)) disk.set(unit, '');
      return openUnit(options, unit);
    },
    list: () => Promise.resolve([...disk.keys()]),
    savedState: (unit) => Promise.resolve(states.get(unit)),
  };
}

function openUnit(options: HostsOptions, unit: string): UnitHost {
  const { process, disk, states, fetchCharm } = options;
  return {
    async deploy(archive, signal) {
      await fetchCharm(signal);
      if (process.does('begin to deploy charm', `${unit} ${archive.url}`))
        disk.set(unit, `half ${archive.url}`);
      await process.clock.sleep(process.random.skewed(...deployMs), signal);
      if (process.does('deploy charm', `${unit} ${archive.url}`)) disk.set(unit, archive.url);
    },
    async provideResource({ name, fingerprint }, signal) {
      for (let tries = 1; ; tries++) {
        try {
          await fetchCharm(signal);
          await process.clock.sleep(process.random.skewed(...deployMs), signal);
          if (!options.faults.happens('download-cut')) return pathOf(name, fingerprint);
          throw new Error('the connection broke');
        } catch (error) {
          signal.throwIfAborted();
          // The charm's hook tool fails, and with it the hook.
          if (tries === downloadTries)
            throw new JujuError('', 'could not download resource', { cause: error });
          await process.clock.sleep(process.random.skewed(...deployMs), signal);
        }
      }
    },
    run: (run) => runHook(options, unit, run),
    // A part of the step that it follows: a crash between both repeats what a crash before them does.
    saveState(text) {
      if (process.alive) states.set(unit, text);
      return Promise.resolve();
    },
    close: () => process.clock.sleep(process.random.skewed(1, 20)),
    async remove() {
      await process.clock.sleep(process.random.skewed(1, 50));
      if (!process.does('remove unit', unit)) return;
      disk.delete(unit);
      states.delete(unit);
    },
  };
}

async function runHook(options: HostsOptions, unit: string, run: UnitRun): Promise<HookResult> {
  run.signal?.throwIfAborted();
  const { process, disk, tell } = options;
  const name =
    'command' in run.program
      ? run.program.command
      : run.program.dispatchPath.replace(/^(hooks|actions)\//, '');
  const { relation, remoteUnit, action } = run.context.event;
  const event = {
    unit,
    name,
    charmUrl: disk.get(unit) ?? '',
    options: run.context.config().options,
    ...defined({ relation: relation?.id, remoteUnit, task: action?.id }),
  };
  if (!process.does('hook begins', `${unit} ${name}`)) return dead();
  tell({ ...event, phase: 'begin' });
  const ended = (result: HookResult['kind'] | 'aborted'): boolean => {
    if (!process.does('hook ends', `${unit} ${name} ${result}`)) return false;
    tell({ ...event, phase: 'end', result });
    return true;
  };
  try {
    const result = await within(run, process, (signal) => carryOut(options, unit, name, run, signal));
    return ended(result.kind) ? result : await dead();
  } catch (error) {
    return ended('aborted') ? Promise.reject(error as Error) : await dead();
  }
}

/** Returns the promise of a dead process, which never settles. */
function dead(): Promise<never> {
  return new Promise(() => undefined);
}

/** Why a hook's timeout is no longer waited for. Made once: a reason of Node's own costs more than the hook. */
const hookEnded = new Error('the hook has ended');

/** Runs `work` until it ends, the timeout expires, or the agent aborts it. */
async function within(
  run: UnitRun,
  process: SimProcess,
  work: (signal: AbortSignal) => Promise<HookResult>,
): Promise<HookResult> {
  const killed = new AbortController();
  const over = new AbortController();
  const onAbort = (): void => killed.abort(run.signal?.reason);
  run.signal?.addEventListener('abort', onAbort, { once: true });
  const cancelled = cancelledResult(run, process, killed);
  const { timeoutMs } = run;
  const timedOut =
    timeoutMs === undefined
      ? undefined
      : process.clock.sleep(timeoutMs, over.signal).then(
          (): HookResult => {
            killed.abort(new Error('timed out'));
            return { kind: 'failed', message: `timed out after ${formatDuration(timeoutMs)}`, reboot: '' };
          },
          () => dead(),
        );
  const aborted = new Promise<never>((_, reject) =>
    killed.signal.addEventListener('abort', () => {
      if (run.signal?.aborted) reject(run.signal.reason as Error);
    }),
  );
  const working = work(killed.signal);
  // The work may still fail after it was killed.
  working.catch(() => undefined);
  try {
    return await Promise.race([working, aborted, cancelled, ...(timedOut ? [timedOut] : [])]);
  } finally {
    over.abort(hookEnded);
    run.signal?.removeEventListener('abort', onAbort);
  }
}

/** Returns the result of a cancelled hook: its processes end a while after they were asked to. */
function cancelledResult(run: UnitRun, process: SimProcess, killed: AbortController): Promise<HookResult> {
  const { promise, resolve } = Promise.withResolvers<HookResult>();
  const onCancel = (): void => {
    void process.clock.sleep(process.random.skewed(1, cancelMs)).then(() => {
      killed.abort(new Error('cancelled'));
      resolve({ kind: 'failed', killedBy: 'SIGTERM', message: 'killed by SIGTERM', reboot: '' });
    });
  };
  if (run.cancel?.aborted) onCancel();
  else run.cancel?.addEventListener('abort', onCancel, { once: true });
  return promise;
}

async function carryOut(
  { process, disk, faults, behaviour, durations, storage }: HostsOptions,
  unit: string,
  name: string,
  run: UnitRun,
  signal: AbortSignal,
): Promise<HookResult> {
  const { clock, random } = process;
  const sleep = (ms: number): Promise<void> => clock.sleep(ms, signal);
  const { context } = run;
  await sleep(durations?.hook(unit, name) ?? random.skewed(...hookMs));
  if (faults.happens('hook-slow')) await sleep(faults.stream('hook-slow').skewed(1_000, slowHookMs));
  if (faults.happens('hook-failed')) return { kind: 'failed', code: 1, message: 'exit status 1', reboot: '' };
  if (faults.happens('hook-killed'))
    return { kind: 'failed', killedBy: 'SIGKILL', message: 'killed by SIGKILL', reboot: '' };
  if (faults.happens('hook-reboot'))
    context.changes.reboot = faults.stream('hook-reboot').chance(0.5) ? 'now' : 'after';
  if (context.changes.reboot === 'now')
    return { kind: 'failed', message: 'ended for a reboot', reboot: 'now' };
  const url = disk.get(unit) ?? '';
  if (url.startsWith('half ')) throw new Error(`unit ${unit} runs ${name} with files of two charms`);
  try {
    const result = await behaviour(url)({
      unit,
      name,
      context,
      signal,
      log: (stream, line) => run.onOutput(stream, line, false),
      sleep,
      random: () => random.next(),
      storage: (id, path) => storage.use(id, path),
    });
    const all: HookResult = { kind: 'done', code: 0, reboot: context.changes.reboot, ...result };
    return all.kind === 'failed' && all.code !== undefined
      ? { message: `exit status ${all.code}`, ...all }
      : all;
  } catch (error) {
    // Refusals of a hook tool end the hook of a charm that does not handle them.
    if (!(error instanceof JujuError) || signal.aborted) throw error;
    return { kind: 'failed', code: 1, message: 'exit status 1', reboot: '' };
  }
}

/** Returns the path of a resource on a simulated machine, which names its content. */
export function pathOf(name: string, fingerprint: string): string {
  return `/resources/${name}/${fingerprint}`;
}
