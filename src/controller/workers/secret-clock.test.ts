import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';
import { secretWorld, type SecretWorld } from '../../testing/secret-world.ts';
import type { SecretTime } from '../../wire/facades/secret-changes.ts';
import { SecretClock } from './secret-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const content = (text: string) => ({ password: Buffer.from(text).toString('base64') });

let callers: Callers;
let world: SecretWorld;
let clock: SecretClock;
let watcher: string;
beforeEach(async () => {
  callers = await createCallers();
  world = await secretWorld(callers);
  clock = newClock();
  const as = { kind: 'machine', machine: '0' } as const;
  watcher = (await callers.call<{ 'watcher-id': string }>('MachineAgent', 'Watch', {}, { as }))['watcher-id'];
  await told();
});
afterEach(async () => {
  clock.stop();
  await callers[Symbol.asyncDispose]();
});

function newClock(): SecretClock {
  const { store, model, context } = callers;
  return new SecretClock({ store, services: context.services, modelUuid: model, wake: () => undefined });
}

/** Lets time pass, with the runs of the clock that are due. */
async function pass(ms: number): Promise<void> {
  const { signal } = new AbortController();
  for (let left = ms; ;) {
    const next = (await clock.pass(signal)) ?? Infinity;
    const step = Math.min(Math.max(next, 1), left);
    if (left === 0) return;
    callers.advance(step);
    left -= step;
  }
}

/** News about secrets that the agent of web/0 gets. */
async function told(): Promise<Record<string, unknown>> {
  const news = await callers.call<{ records: [string, unknown][] }>(
    'AgentWatcher',
    'Next',
    {},
    { as: { kind: 'machine', machine: '0' }, id: watcher },
  );
  return Object.fromEntries(news.records.filter(([key]) => key.startsWith('secret ')));
}

const answer = (unit: string, secretTime: SecretTime, changes = {}): Promise<void> =>
  world.hook(unit, changes, { secretTime });
const nextRotate = (id: string) => callers.view().get('secret', id)?.nextRotate;

test('a rotation is told at its minute, also after a kill of the controller, and the hook decides on the next', async () => {
  const id = await world.add('web/0', { rotate: 'hourly', content: content('one') });
  const due = '2026-01-01T01:00:00.000Z';
  await pass(hour - 1);
  expect(callers.view().get('secret', id)?.rotating).toBeUndefined();
  clock.stop();
  callers.advance(2 * minute);
  clock = newClock();
  await pass(0);
  expect(callers.view().get('secret', id)?.rotating).toBe(due);
  expect(await told()).toEqual({
    [`secret web/0 ${id}`]: {
      label: '',
      owner: 'application',
      tracked: 0,
      latest: 1,
      obsolete: [],
      rotating: due,
      expiring: [],
    },
  });
  await answer('web/1', { kind: 'rotated', secret: id, revision: 1, due });
  expect(callers.view().get('secret', id)?.rotating, 'a follower has no say').toBe(due);
  await callers.change((tx) =>
    tx.put('lease', 'web', { application: 'web', holder: 'web/0', expiresAt: '2027-01-01T00:00:00.000Z' }),
  );
  await answer(
    'web/0',
    { kind: 'rotated', secret: id, revision: 1, due },
    { update: [{ id, content: content('two') }] },
  );
  expect(await told()).toEqual({
    [`secret web/0 ${id}`]: expect.objectContaining({ rotating: '', obsolete: [1] }) as object,
  });
  expect(nextRotate(id)).toBe('2026-01-01T02:00:00.000Z');
  await pass(hour);
  await answer('web/0', { kind: 'rotated', secret: id, revision: 2, due: '2026-01-01T02:00:00.000Z' });
  expect(nextRotate(id), 'without a new revision it is asked again soon').toMatch(/^2026-01-01T02:0[5-7]/);
});

test('an expired revision is told until it is removed', async () => {
  const id = await world.add('web/0', { owner: 'unit', expire: '30m', content: content('one') });
  await pass(31 * minute);
  const due = '2026-01-01T00:30:00.000Z';
  const record = (await told())[`secret web/0 ${id}`];
  expect(record).toMatchObject({ owner: 'unit', expiring: [{ revision: 1, due }] });
  await answer('web/0', { kind: 'expired', secret: id, revision: 1, due });
  expect((await told())[`secret web/0 ${id}`]).toBeNull();
  await pass(7 * minute);
  expect(await told()).toMatchObject({ [`secret web/0 ${id}`]: { expiring: [{ revision: 1 }] } });
  await world.hook('web/0', { remove: [{ id, revision: 1 }] });
  expect((await told())[`secret web/0 ${id}`]).toBeNull();
});

test('a reader is told of new revisions until it tracks them; a stream that starts tells what is still due', async () => {
  const id = await world.add('db/0', { content: content('one') });
  await world.hook('db/0', {
    grant: [{ id, subject: { kind: 'application', id: 'web' }, relation: world.relation }],
  });
  await world.read('web/0', { id, label: 'theirs' });
  await told();
  await world.hook('db/0', { update: [{ id, content: content('two') }] });
  const changed = {
    [`secret web/0 ${id}`]: expect.objectContaining({ label: 'theirs', tracked: 1, latest: 2 }) as object,
  };
  expect(await told()).toEqual(changed);
  const as = { kind: 'machine', machine: '0' } as const;
  watcher = (await callers.call<{ 'watcher-id': string }>('MachineAgent', 'Watch', {}, { as }))['watcher-id'];
  expect(await told()).toEqual(changed);
  await world.read('web/0', { id, refresh: true });
  expect((await told())[`secret web/0 ${id}`]).toBeNull();
});
