import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { ownValue } from '../../core/bundle/own.ts';
import { JujuError } from '../../core/errors.ts';
import { parseGoal, type Attributes, type Goal } from '../../core/goal/goal.ts';
import { takenWords } from '../../core/rollout/rollout.ts';
import { visibleLine } from '../../kit/visible.ts';
import type { ApplicationStatus, FullStatus } from '../../wire/facades/client.ts';
import type { Operator } from '../operator.ts';
import { defaultGoals, findEntity, goalTypes } from './goal.ts';
import { overLosses, type Reach, type Unreachable } from './over-losses.ts';
import { poll, type WaitEvent } from './poll.ts';

/** Applications that are not as they are waited for. */
export interface UnmetApplications {
  /** `state`: what an application does, in words. */
  readonly unmet: readonly { readonly name: string; readonly state: string }[];
}

/** State of applications that is waited for; `active` is more than its query, as `isActive` says. */
export type AwaitedState = Goal | 'active';

const activeGoal = parseGoal(defaultGoals.application, { types: goalTypes, kind: 'application' });

/**
 * Resolves when each of the applications is as awaited. The controller may go and come back meanwhile. Errors:
 * `deadline exceeded`; the controller's; `try again` when it stays away.
 */
export async function waitForApplications(
  operator: Operator<WaitEvent<UnmetApplications | Unreachable>>,
  reach: Reach,
  {
    names,
    awaited,
    timeoutMs,
  }: {
    readonly names: readonly string[];
    readonly awaited: AwaitedState;
    readonly timeoutMs: number;
  },
): Promise<void> {
  let last: UnmetApplications = { unmet: [] };
  await poll<UnmetApplications | Unreachable>(operator, {
    timeoutMs,
    check: overLosses(
      operator.clock,
      reach,
      async (connection) => {
        last = { unmet: unmetOf(await statusOf(connection), names, awaited) };
        return last.unmet.length === 0 ? undefined : last;
      },
      (error) =>
        new JujuError(
          error.code,
          `${error.message}\nApplications that were waited for when the controller answered last: ${unmetText(last)}`,
          { cause: error },
        ),
    ),
    onTimeout: () => new JujuError('deadline exceeded', `timed out waiting for ${unmetText(last)}`),
  });
}

const namesMax = 5;

/** Names and states of the applications, at most five of them: `web (error), db (waiting)`. */
export function unmetText({ unmet }: UnmetApplications): string {
  const names = unmet.slice(0, namesMax).map(({ name, state }) => `${name} (${state})`);
  const more = unmet.length > namesMax ? ` and ${unmet.length - namesMax} more` : '';
  return `${names.join(', ')}${more}`;
}

function statusOf(connection: Connection): Promise<FullStatus> {
  return call(connection, 'Client', 'FullStatus', { patterns: [], 'include-storage': false });
}

function unmetOf(
  status: FullStatus,
  names: readonly string[],
  awaited: AwaitedState,
): UnmetApplications['unmet'] {
  const { applications = [] } = findEntity(status, 'model', '') ?? {};
  const byName = new Map((applications as readonly Attributes[]).map((one) => [one['name'], one]));
  return names.flatMap((name) => {
    const one = byName.get(name);
    const application = ownValue(status.applications, name);
    if (!one || !application) return [{ name, state: 'does not exist yet' }];
    const isMet = awaited === 'active' ? isActive(status, name, one) : awaited.isMet(one);
    return isMet ? [] : [{ name, state: stateOf(one, application) }];
  });
}

/** Whether all units are active and idle with the application's own charm; true where none are to come. */
function isActive(status: FullStatus, name: string, one: Attributes): boolean {
  if (awaitsNoUnit(status, name)) return true;
  return activeGoal.isMet(one) && movesText(one, status.applications[name]!) === undefined;
}

/** Way of the units to another charm, or to other contents of resources, as a phrase; undefined = they are there. */
function movesText(one: Attributes, { charm, rollout }: ApplicationStatus): string | undefined {
  if (rollout) {
    const { kind, to, resources, state, upgraded, total, message } = rollout;
    const why = message === '' ? '' : `: ${message}`;
    return `${kind} to ${takenWords(to, resources)} is ${state}, ${upgraded} of ${total} units${why}`;
  }
  const units = one['units'] as readonly Attributes[];
  const behind = units.find((unit) => unit['charm-url'] !== charm);
  return behind && `unit ${textOf(behind['name'])} still runs ${textOf(behind['charm-url'])}`;
}

/** Whether a deployed application stays without units as things are: a subordinate's come with its principals'. */
function awaitsNoUnit({ applications }: FullStatus, name: string): boolean {
  const one = ownValue(applications, name);
  return (
    one !== undefined &&
    one.life !== 'dying' &&
    !one.pending &&
    [name, ...one['subordinate-to']].every(
      (each) => Object.keys(ownValue(applications, each)?.units ?? {}).length === 0,
    )
  );
}

function stateOf(one: Attributes, application: ApplicationStatus): string {
  const { status, agents, pending } = one;
  if (typeof pending === 'string' && pending !== '') return pending;
  const moves = movesText(one, application);
  if (moves !== undefined) return visibleLine(moves);
  const { info } = application.status;
  // What a charm says of itself when it is active is no reason to wait.
  const why = info === '' || status === 'active' ? '' : `: ${visibleLine(info).slice(0, messageMax)}`;
  const busy = agents === 'idle' ? '' : `, agents ${textOf(agents)}`;
  return `${textOf(status)}${why}${busy}`;
}

function textOf(attribute: Attributes[string] | undefined): string {
  return typeof attribute === 'string' ? attribute : '';
}

/** Maximum length of a charm's message in a line about several applications. */
const messageMax = 100;
