/** Flags of `refresh` for rolling refreshes, and what they show (refresh.md#rolling). */
import { checkRolling, takenWords, type RollingRequest } from '../../core/rollout/rollout.ts';
import {
  actOnRollout,
  followRollout,
  planRollback,
  type RolloutAction,
  type ShownRollout,
} from '../../operate/refresh/rollout.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { printRequirements } from '../requirements.ts';
import { showRefreshPlan } from './refresh-plan.ts';
import { waitingOperator } from '../wait.ts';

/** Flags of every command that can give units another charm in batches. */
export const rollingFlags = {
  maxUnavailable: text(
    '--max-unavailable',
    'Number of units that are upgraded at a time, or their share: 25%',
  ),
  pauseAfter: text('--pause-after', 'Pause after the first unit, until --resume', { completes: ['canary'] }),
  rolling: bool('--rolling', 'Upgrade units in batches, each when the one before is healthy'),
  waitFor: text('--wait-for', 'What a healthy unit is: active, or an expression as wait-for takes it'),
};

export const rolloutFlags = {
  ...rollingFlags,
  abort: bool('--abort', 'End a rolling refresh: each unit keeps what it runs'),
  dryRun: bool('--dry-run', 'Print what would change, without changing anything'),
  noWait: bool('--no-wait', 'Return as soon as the rolling refresh goes on, without following it'),
  resume: bool('--resume', 'Go on with a rolling refresh that is paused or stopped'),
  rollback: bool('--rollback', 'Return to the charm, settings and resources from before the rolling refresh'),
};

interface RollingFlags {
  readonly maxUnavailable: string;
  readonly pauseAfter: string;
  readonly rolling: boolean;
  readonly waitFor: string;
}

export interface RolloutFlags extends RollingFlags {
  readonly abort: boolean;
  readonly dryRun: boolean;
  readonly noWait: boolean;
  readonly resume: boolean;
  readonly rollback: boolean;
}

/** Returns the rolling refresh that the flags ask for; undefined = a plain one. Errors: UsageError, `not valid`. */
export function rollingOf(
  { maxUnavailable, noWait, pauseAfter, rolling, waitFor }: RollingFlags & { readonly noWait?: boolean },
  givenFlags: ReadonlySet<string>,
): RollingRequest | undefined {
  if (!rolling) {
    for (const flag of ['maxUnavailable', 'pauseAfter', 'waitFor'])
      if (givenFlags.has(flag)) throw new UsageError(`--${inWords(flag)} is for --rolling`);
    if (noWait) throw new UsageError('--no-wait is for --rolling, --resume and --rollback');
    return undefined;
  }
  if (givenFlags.has('pauseAfter') && pauseAfter !== 'canary')
    throw new UsageError(`--pause-after takes canary, not "${pauseAfter}"`);
  return checkRolling({ maxUnavailable, waitFor, pauseAfterCanary: pauseAfter === 'canary' });
}

const actions: Readonly<Record<'abort' | 'resume' | 'rollback', RolloutAction>> = {
  abort: 'Abort',
  resume: 'Resume',
  rollback: 'Rollback',
};

/**
 * Returns the action on an existing roll-out that the flags ask for; undefined = a refresh. Errors: UsageError beside
 * any other flag.
 */
export function actionOf(flags: RolloutFlags, givenFlags: ReadonlySet<string>): RolloutAction | undefined {
  const given = (['abort', 'resume', 'rollback'] as const).filter((name) => flags[name]);
  const [name, other] = given;
  if (!name) return undefined;
  if (other) throw new UsageError(`--${name} and --${other} are mutually exclusive`);
  const allowed = new Set<string>([name, 'noWait', 'model', 'format', 'output']);
  if (name === 'rollback') allowed.add('dryRun');
  const unwanted = [...givenFlags].find((flag) => !allowed.has(flag));
  if (unwanted !== undefined)
    throw new UsageError(`--${name} and --${inWords(unwanted)} are mutually exclusive`);
  return actions[name];
}

/** Returns the name of a flag on the command line: `noWait` → `no-wait`. */
function inWords(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Carries out --resume, --abort or --rollback, and follows the roll-out. */
export async function steerRollout(
  context: CommandContext,
  application: string,
  flags: RolloutFlags & { readonly model: string; readonly format: string },
  action: RolloutAction,
): Promise<void> {
  const session = await context.openModel(flags.model);
  if (flags.dryRun)
    return showRefreshPlan(context, flags.format, await planRollback(session.connection, application));
  const { requirements } = await actOnRollout(session.connection, application, action);
  await printRequirements(context, flags.format, requirements, { application });
  if (action === 'Abort') return context.info(`${application}: aborted; each unit keeps what it runs`);
  await showRollout(context, session, application, flags);
}

/**
 * Follows a roll-out until it has finished or paused. Errors: '' when it is stopped, or ended by another user, so that
 * the command fails.
 */
export async function showRollout(
  context: CommandContext,
  { connection }: ModelSession,
  application: string,
  { noWait }: Pick<RolloutFlags, 'noWait'>,
): Promise<void> {
  if (noWait) return context.info(`${application}: the roll-out goes on; status shows where it stands`);
  const operator = waitingOperator<ShownRollout>(context, (state) => progress(application, state));
  const { end, charm, rollout } = await followRollout(operator, connection, application);
  const taken = takenWords(charm, rollout?.resources);
  switch (end) {
    case 'finished':
      return context.info(`${application}: all units have ${taken}`);
    case 'paused':
      return context.info(
        `${application}: ${canaryWords(rollout?.units ?? [], taken)}; go on with: ${context.lineFor(`refresh ${application} --resume`)}`,
      );
    case 'stopped':
      throw new Error(
        `${rollout?.kind} stopped: ${rollout?.message}; then: ${context.lineFor(`refresh ${application} --resume`)}, --abort${rollout?.kind === 'refresh' ? ' or --rollback' : ''}`,
      );
    case 'aborted':
      throw new Error(`${rollout?.kind} aborted: ${rollout?.message}`);
    case 'replaced':
      throw new Error(`application "${application}" has ${charm} now, which somebody else has asked for`);
  }
}

/** Describes the canary of a paused roll-out, which may be removed meanwhile. */
function canaryWords(units: readonly string[], taken: string): string {
  return units.length === 0
    ? `the canary was healthy with ${taken}, and is removed since`
    : `unit ${units.join(', ')} has ${taken} and is healthy`;
}

function progress(application: string, shown: ShownRollout): string {
  const { upgraded, total, batch, message } = shown;
  const where = message || (batch === 0 ? 'begins' : `batch ${batch}`);
  return `${application}: ${upgraded} of ${total} units have ${takenWords(shown.to, shown.resources)}; ${where}`;
}
