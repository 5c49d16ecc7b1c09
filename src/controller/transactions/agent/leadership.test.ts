import { afterEach, beforeEach, expect, test } from 'vitest';
import { modelFixture, type ModelFixture } from '../../../testing/model-fixture.ts';
import { beginRestore } from '../change/restore.ts';
import { claimLeadership, leaderOf, setLeaderSettings } from './leadership.ts';

const minuteMs = 60_000;
let model: ModelFixture;
beforeEach(async () => {
  model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
});
afterEach(() => model[Symbol.asyncDispose]());

const claim = (unit: string, durationMs = minuteMs): Promise<void> =>
  model.change((tx) => claimLeadership(tx, { unit, durationMs }));
const leader = (): string => leaderOf(model.view(), 'mysql', new Date(model.now()).toISOString());
const denied = { code: 'leadership claim denied' };

test('a lease is one unit’s until it ends, and another’s from that instant on', async () => {
  await claim('mysql/0');
  model.advance(minuteMs - 1);
  expect(leader()).toBe('mysql/0');
  await expect(claim('mysql/1')).rejects.toMatchObject(denied);
  model.advance(1);
  expect(leader()).toBe('');
  await claim('mysql/1');
  expect(leader()).toBe('mysql/1');
});

test('a lease is never longer than five minutes, whatever an agent asks', async () => {
  await claim('mysql/0', 24 * 60 * minuteMs);
  model.advance(5 * minuteMs);
  expect(leader()).toBe('');
});

test('for a minute after a restore only a unit that relies on a lease gets one, whoever holds that of the backup', async () => {
  const restore = (id: string): Promise<void> =>
    model.store.change(
      (tx) =>
        beginRestore(tx, { id, backup: '2026-01-01T00:00:00Z', at: new Date(model.now()).toISOString() }),
      'test',
    );
  const rely = (unit: string): Promise<void> =>
    model.change((tx) => claimLeadership(tx, { unit, durationMs: minuteMs, holds: true }));
  await claim('mysql/0');
  await restore('r-1');
  // The holder may have been removed since the backup, and another unit may lead.
  await expect(claim('mysql/0')).rejects.toMatchObject(denied);
  await rely('mysql/0');
  model.advance(minuteMs);
  await restore('r-2');
  for (const unit of ['mysql/0', 'mysql/1']) await expect(claim(unit)).rejects.toMatchObject(denied);
  model.advance(minuteMs - 1);
  await expect(claim('mysql/1')).rejects.toMatchObject(denied);
  model.advance(1);
  await claim('mysql/1');
  await restore('r-3');
  model.advance(minuteMs - 1);
  await rely('mysql/1');
  expect(leader()).toBe('mysql/1');
});

test('a unit that is dead gets no lease', async () => {
  await model.change((tx) => tx.put('unit', 'mysql/0', { ...tx.get('unit', 'mysql/0')!, life: 'dead' }));
  await expect(claim('mysql/0')).rejects.toMatchObject(denied);
});

test('settings of the leader are written by the leader alone, and an empty value removes a key', async () => {
  const set = (unit: string, values: Record<string, string>): Promise<void> =>
    model.change((tx) => setLeaderSettings(tx, { unit, values }));
  await claim('mysql/0');
  await expect(set('mysql/1', { token: 'x' })).rejects.toMatchObject({ code: 'not leader' });
  await set('mysql/0', { token: 'x', gone: 'y' });
  await set('mysql/0', { gone: '' });
  expect(model.view().get('leader-settings', 'mysql')).toEqual({
    application: 'mysql',
    values: { token: 'x' },
    version: 2,
  });
});
