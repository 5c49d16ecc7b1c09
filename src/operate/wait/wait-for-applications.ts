import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { ownValue } from '../../core/bundle/own.ts';
import { JujuError } from '../../core/errors.ts';
import type { Attributes, Goal } from '../../core/goal/goal.ts';
import type { FullStatus } from '../../wire/facades/client.ts';
import type { Operator } from '../operator.ts';
import { findEntity } from './goal.ts';
import { poll, type WaitEvent } from './poll.ts';

/** Applications that do not meet the goal yet. */
export interface UnmetApplications {
  /** `state`: what an application does, in words. */
  readonly unmet: readonly { readonly name: string; readonly state: string }[];
}

/**
 * Resolves when each of the applications meets the goal, or has no unit and awaits none, where these are `met` as they
 * are. Errors: `deadline exceeded`; the controller's.
 */
export async function waitForApplications(
  operator: Operator<WaitEvent<UnmetApplications>>,
  connection: Connection,
  {
    names,
    goal,
    timeoutMs,
    unitless,
  }: {
    readonly names: readonly string[];
    readonly goal: Goal;
    readonly timeoutMs: number;
    readonly unitless: 'met' | 'by the goal';
  },
): Promise<void> {
  let unmet: UnmetApplications['unmet'] = [];
  await poll<UnmetApplications>(operator, {
    timeoutMs,
    async check() {
      const status = await call(connection, 'Client', 'FullStatus', {
        patterns: [],
        'include-storage': false,
      });
      const { applications = [] } = findEntity(status, 'model', '') ?? {};
      const byName = new Map((applications as readonly Attributes[]).map((one) => [one['name'], one]));
      unmet = names.flatMap((name) => {
        const one = byName.get(name);
        const isMet = (unitless === 'met' && awaitsNoUnit(status, name)) || (one && goal.isMet(one));
        return isMet ? [] : [{ name, state: one ? stateOf(one) : 'does not exist yet' }];
      });
      return unmet.length === 0 ? undefined : { unmet };
    },
    onTimeout: () =>
      new JujuError(
        'deadline exceeded',
        `timed out waiting for ${unmet.map(({ name }) => `application "${name}"`).join(', ')} to reach the goal state`,
      ),
  });
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

function stateOf({ status, agents, pending }: Attributes): string {
  if (typeof pending === 'string' && pending !== '') return pending;
  return agents === 'idle' ? String(status as string) : `${status as string}, agents ${agents as string}`;
}
