/** Evidence of a failed step: output of hooks, relation data and history of the units involved. */
import { failedHookOf, ranHookOf } from '../../core/unit/hook-log.ts';
import { openLogStream, type LogMessage } from '../../client/log-stream.ts';
import { defined } from '../../core/defined.ts';
import type { Clock } from '../../kit/clock.ts';
import { unitsOf } from '../../operate/scenario/conditions.ts';
import type { FullStatus } from '../../wire/facades/client.ts';
import { unitTag } from '../../wire/tags.ts';
import type { Ran } from './local-stage.ts';
import type { Failure, HookReport } from './report.ts';

/** Maximum number of units that a failure shows in detail, beyond their status. */
const unitsMax = 6;
/** Lines of output that are shown for a unit. */
const linesMax = 60;
const changesMax = 40;
/** Number of looks at the log, and milliseconds between them. */
const looksMax = 30;
const lookMs = 200;

interface Witness {
  readonly status: FullStatus | undefined;
  /** Text of the failed step. */
  readonly step: string;
  /** Runs a command in the model. */
  readonly run: (argv: readonly string[]) => Promise<Ran>;
  readonly clock: Clock;
  /** Parameters for reading the model's log. */
  readonly log: Omit<Parameters<typeof openLogStream>[0], 'query'>;
}

/** Gathers as much evidence as possible: a part that cannot be read is empty. */
export async function gatherEvidence(
  witness: Witness,
): Promise<Pick<Failure, 'hooks' | 'relations' | 'timeline'>> {
  const units = involvedUnits(witness);
  if (units.length === 0) return { hooks: [], relations: {}, timeline: [] };
  const [hooks, relations, timeline] = await Promise.all([
    hookReports(witness, units).catch(() => []),
    relationsOf(witness, units).catch(() => ({})),
    timelineOf(witness, units).catch(() => []),
  ]);
  return { hooks, relations, timeline };
}

/**
 * Returns the units in error and those that the step names, itself or by their application; without either, all units.
 */
function involvedUnits({ status, step }: Witness): string[] {
  const all = [...unitsOf(status)];
  const words = new Set(step.split(/[\s:,]+/));
  const isNamed = (name: string): boolean => words.has(name) || words.has(name.split('/')[0] ?? '');
  const isInError = all.filter(([, unit]) => unit['workload-status'].status === 'error');
  const named = all.filter(([name]) => isNamed(name));
  const involved = new Set([...isInError, ...named].map(([name]) => name));
  return (involved.size > 0 ? [...involved] : all.map(([name]) => name)).slice(0, unitsMax);
}

/**
 * Reads the units' log, until it has the message of each unit in error about its failed hook: agents send it in
 * batches.
 */
async function hookReports(witness: Witness, units: readonly string[]): Promise<HookReport[]> {
  const inError = new Set(
    [...unitsOf(witness.status)].flatMap(([name, unit]) =>
      unit['workload-status'].status === 'error' ? [name] : [],
    ),
  );
  for (let look = 1; ; look++) {
    const messages = await logOf(witness, units);
    const reports = units.map((unit) => hookReport(unit, messages.get(unitTag(unit)) ?? []));
    if (look === looksMax || reports.every(({ unit, hook }) => hook !== undefined || !inError.has(unit)))
      return reports.filter(({ output }) => output.length > 0);
    await witness.clock.sleep(lookMs, witness.log.signal);
  }
}

async function logOf({ log }: Witness, units: readonly string[]): Promise<Map<string, LogMessage[]>> {
  const messages = new Map(units.map((unit) => [unitTag(unit), [] as LogMessage[]]));
  const query = { includeEntity: units.map(unitTag), replay: 'true', noTail: 'true' };
  for await (const message of openLogStream({ ...log, query })) messages.get(message.tag)?.push(message);
  return messages;
}

/**
 * Returns the report on a unit's last failed hook; without one, on its last lines. `messages`: the unit's log messages,
 * oldest first.
 */
export function hookReport(unit: string, messages: readonly LogMessage[]): HookReport {
  const failed = messages.findLastIndex((one) => isAgents(one) && failedHookOf(one.msg) !== undefined);
  const again = messages.slice(failed + 1).some((one) => isAgents(one) && ranHookOf(one.msg) !== undefined);
  if (failed < 0 || again)
    return {
      unit,
      output: messages.slice(-linesMax).map(({ mod, msg }) => `${mod.split('.').at(-1)}: ${msg}`),
    };
  const before = messages
    .slice(0, failed)
    .findLastIndex((one) => isAgents(one) && / hook[ =]/.test(` ${one.msg}`));
  const own = messages.slice(before + 1, failed).filter((one) => !isAgents(one));
  const hook = failedHookOf(messages[failed]?.msg ?? '');
  const output = own.slice(-linesMax).map(({ msg }) => msg);
  return { unit, output, ...defined({ hook, traceback: tracebackIn(own) }) };
}

/** Whether the message is the agent's own about hooks, and not output of a hook. */
function isAgents({ mod }: LogMessage): boolean {
  return mod === 'grigri.unit';
}

/**
 * Returns the last traceback of Python in the output, without what was written to the other stream at the same time.
 */
function tracebackIn(messages: readonly LogMessage[]): readonly string[] | undefined {
  const isStart = ({ msg }: LogMessage): boolean => msg.startsWith('Traceback (most recent call last)');
  const start = messages.findLast(isStart);
  if (!start) return undefined;
  const same = messages
    .slice(messages.indexOf(start))
    .filter(({ sev, mod }) => sev === start.sev && mod === start.mod);
  const end = same.findIndex(({ msg }, n) => n > 0 && !/^\s/.test(msg));
  return same.slice(0, end < 0 ? undefined : end + 1).map(({ msg }) => msg);
}

async function relationsOf(
  { run }: Witness,
  units: readonly string[],
): Promise<Record<string, readonly unknown[]>> {
  const { stdout } = await run(['show-unit', ...units, '--format', 'json']);
  const shown = JSON.parse(stdout) as Record<string, { readonly 'relation-info'?: readonly unknown[] }>;
  return Object.fromEntries(
    Object.entries(shown).flatMap(([unit, { 'relation-info': relations = [] }]) =>
      relations.length > 0 ? [[unit, relations]] : [],
    ),
  );
}

async function timelineOf({ run }: Witness, units: readonly string[]): Promise<Failure['timeline']> {
  const { stdout } = await run([
    'history',
    ...units,
    '-n',
    String(changesMax),
    '--status',
    '--format',
    'json',
  ]);
  const commits = JSON.parse(stdout) as readonly {
    readonly time: string;
    readonly by: string;
    readonly changes: readonly { readonly entity: string; readonly change: string }[];
  }[];
  return commits.flatMap(({ time, by, changes }) =>
    changes.map(({ entity, change }) => ({ time, by, change: `${entity}: ${change}` })),
  );
}
