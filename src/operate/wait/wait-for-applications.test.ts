import { expect, test } from 'vitest';
import type { Connection } from '../../client/connection.ts';
import { JujuError } from '../../core/errors.ts';
import { parseGoal } from '../../core/goal/goal.ts';
import { testOperator } from '../../testing/operator.ts';
import { application, full, unit } from '../../testing/status-documents.ts';
import type { FullStatus } from '../../wire/facades/client.ts';
import { goalTypes } from './goal.ts';
import type { Unreachable } from './over-losses.ts';
import type { WaitEvent } from './poll.ts';
import { unmetText, waitForApplications, type UnmetApplications } from './wait-for-applications.ts';

type State = UnmetApplications | Unreachable;

/** A connection that answers with one status after the other, the last one again and again. */
function answering(...list: readonly (FullStatus | Error)[]): Connection {
  let next = 0;
  const call = () => {
    const one = list[Math.min(next++, list.length - 1)];
    return one instanceof Error ? Promise.reject(one) : Promise.resolve(one);
  };
  return { call, close: () => Promise.resolve() } as unknown as Connection;
}

const noReopen = () => Promise.reject(new Error('nothing was lost'));
const active = {
  status: 'active',
  info: 'ready',
  data: {},
  since: '',
  kind: '',
  version: '',
  life: '',
} as const;
type Application = ReturnType<typeof application>;

/** A model with `web`, which is active and idle but for what is given. */
function web(more: Partial<Application>): FullStatus {
  const units = { 'web/0': unit('active', 'idle'), 'web/1': unit('active', 'idle') };
  return full({
    applications: { web: application({ charm: 'local:web-1', status: active, units, ...more }) },
  });
}

/** Words about what is waited for, when it does not come in time; undefined = it is there. */
async function missing(status: FullStatus, names = ['web']): Promise<string | undefined> {
  const operator = testOperator<WaitEvent<State>>();
  const reach = { connection: answering(status), reopen: noReopen };
  const waited = waitForApplications(operator, reach, { names, awaited: 'active', timeoutMs: 0 });
  const error = await waited.then(
    () => undefined,
    (thrown: unknown) => thrown as JujuError,
  );
  if (error) expect(error.code).toBe('deadline exceeded');
  return error?.message.replace('timed out waiting for ', '');
}

const rollout = {
  kind: 'refresh',
  state: 'rolling',
  from: 'local:web-0',
  to: 'local:web-1',
  batch: 1,
  units: ['web/0'],
  upgraded: 1,
  total: 2,
  'max-unavailable': '1',
  'wait-for': 'active',
  message: '',
  since: '',
} as const;

test.each([
  ['active and idle', {}, undefined],
  ['active, of which no unit is to come', { units: {}, status: { ...active, status: 'unknown' } }, undefined],
  [
    'in a roll-out whose units are all active',
    { rollout },
    'web (refresh to local:web-1 is rolling, 1 of 2 units)',
  ],
  [
    'in a roll-out that has stopped',
    { rollout: { ...rollout, state: 'stopped', message: 'batch 1: unit web/0 is in error' } },
    'web (refresh to local:web-1 is stopped, 1 of 2 units: batch 1: unit web/0 is in error)',
  ],
  [
    'refreshed, with a unit that has not begun',
    { units: { 'web/0': unit('active', 'idle'), 'web/1': unit('active', 'idle', { charm: 'local:web-0' }) } },
    'web (unit web/1 still runs local:web-0)',
  ],
  [
    'in error',
    { status: { ...active, status: 'error', info: 'hook failed: "install"\nsee the log\u001b[2J' } },
    'web (error: hook failed: "install" see the log\\u001b[2J)',
  ],
  ['busy', { units: { 'web/0': unit('active', 'executing') } }, 'web (active, agents executing)'],
] as const)('an application that is %s: %o', async (_, more, text) => {
  expect(await missing(web(more as Partial<Application>))).toBe(text);
});

test('no more than five applications are named', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const each = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name} (does not exist yet)`).join(', ');
  expect(await missing(full({}), names)).toBe(`${each} and 2 more`);
  expect(unmetText({ unmet: [] })).toBe('');
});

test('a query alone says what is waited for', async () => {
  const operator = testOperator<WaitEvent<State>>();
  const awaited = parseGoal('len(units) == 2', { types: goalTypes, kind: 'application' });
  const reach = { connection: answering(web({ rollout })), reopen: noReopen };
  await waitForApplications(operator, reach, { names: ['web'], awaited, timeoutMs: 0 });
});

test('a controller that is restarted meanwhile does not end the wait', async () => {
  const operator = testOperator<WaitEvent<State>>();
  const lost = new JujuError('try again', 'connection to the controller lost');
  const opened: string[] = [];
  const reopen = () => {
    opened.push('again');
    return opened.length === 1 ? Promise.reject(lost) : Promise.resolve(answering(web({})));
  };
  const reach = { connection: answering(web({ rollout }), lost), reopen };
  await waitForApplications(operator, reach, { names: ['web'], awaited: 'active', timeoutMs: 60_000 });
  expect(operator.events.flatMap((event) => ('state' in event ? Object.keys(event.state) : []))).toEqual([
    'unmet',
    'unreachable',
    'unreachable',
  ]);
  expect(opened).toHaveLength(2);
});
