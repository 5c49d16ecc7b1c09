/** Records of what units track say what they were told of secrets: an agent's state does not grow with that. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { finishHook } from '../../../core/unit/advance.ts';
import { newLocalState, type LocalState, type SecretHook } from '../../../core/unit/local-state.ts';
import { nextSecretHook } from '../../../core/unit/next-secret-hook.ts';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { secretWorld } from '../../../testing/secret-world.ts';
import { isThorough } from '../../../testing/thorough.ts';
import { remote as remoteState } from '../../../testing/unit-states.ts';
import type { SecretRecord } from '../../../wire/agent-records.ts';
import { secretRecord } from '../../watchers/agent-records.ts';
import { commitHook } from './commit-hook.ts';
import { resetMachine } from '../instance/renew-machine.ts';
import { createSecret, mustGetSecret, removeSecret, updateSecret } from '../shared/secrets.ts';
import type { Tx } from '../tx.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await secretWorld(callers);
});
afterEach(() => callers[Symbol.asyncDispose]());

const idOf = (n: number): string => `${String(n).padStart(19, '0')}0`;
const nothing = { relationSettings: [], openPorts: [], closePorts: [] };
const commit = (tx: Tx, unit: string, { kind, secret, revision }: SecretHook, agentState: unknown): void =>
  commitHook(tx, {
    ...nothing,
    unit,
    hookId: `${kind} ${secret} ${revision}`,
    agentState,
    secretTold: { kind: kind === 'secret-changed' ? 'changed' : 'obsolete', secret, revision },
  });

/** A unit of another application that tracks the first revision of secrets of db, which have a second one. */
async function track(unit: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => idOf(n));
  for (let n = 0; n < count; n += 1000)
    await callers.change((tx) => {
      for (const id of ids.slice(n, n + 1000)) {
        createSecret(tx, { id, owner: { kind: 'application', id: 'db' }, content: `k${id}` });
        tx.put('secret-consumer', `${id} ${unit}`, { secret: id, unit, current: 1, label: '' });
        updateSecret(tx, mustGetSecret(tx, id), { content: `l${id}` });
      }
    });
  return ids;
}

test('a unit that tracks very many secrets is told of a new revision of each, and its state stays small', async () => {
  const unit = 'web/0';
  const ids = await track(unit, isThorough ? limits.secretsOfConsumer.max : 2_000);
  const record = (id: string): SecretRecord | null => secretRecord(callers.view(), unit, id);
  const secrets = new Map(ids.map((id) => [id, record(id)!] as const));
  const remote = remoteState({ leader: true, secrets });
  let local: LocalState = newLocalState;
  let largest = 0;
  const batch = 100;
  for (let n = 0; n < ids.length; n += batch) {
    const hooks = ids.slice(n, n + batch);
    await callers.change((tx) => {
      for (const secret of hooks) {
        const hook: SecretHook = { kind: 'secret-changed', secret, label: '', revision: 2 };
        local = finishHook(local, hook, remote);
        commit(tx, unit, hook, local);
      }
    });
    largest = Math.max(largest, JSON.stringify(local).length);
    // The agent hears of it: with the next hook it forgets what the controller knows.
    for (const id of hooks) if (!record(id)) secrets.delete(id);
  }
  expect(secrets.size).toBe(0);
  expect(largest, 'bytes: as much as a batch takes').toBeLessThan(16 * 1024);
  await callers.change((tx) => updateSecret(tx, mustGetSecret(tx, ids[7]!), { content: 'm' }));
  expect(record(ids[7]!)).toMatchObject({ tracked: 1, latest: 3 });
}, 120_000);

test('a revision that a unit was told of is not told again, by an agent that has lost its memory either', async () => {
  const [id] = await track('web/0', 1);
  const record = secretRecord(callers.view(), 'web/0', id!)!;
  const hook = nextSecretHook(newLocalState, remoteState({ secrets: new Map([[id!, record]]) }))!;
  expect(hook).toMatchObject({ kind: 'secret-changed', revision: 2 });
  await callers.change((tx) => commit(tx, 'web/0', hook, {}));
  expect(secretRecord(callers.view(), 'web/0', id!)).toBeNull();
  // An older answer that comes late changes nothing.
  await callers.change((tx) => commit(tx, 'web/0', { ...hook, revision: 1 }, {}));
  expect(callers.view().get('secret-consumer', `${id} web/0`)).toMatchObject({ current: 1, told: 2 });
});

test('obsolete revisions are told to the owner’s leader once, and to the next leader', async () => {
  const [id] = await track('web/0', 1);
  await callers.change((tx) => tx.remove('secret-consumer', `${id} web/0`));
  await callers.change((tx) => updateSecret(tx, mustGetSecret(tx, id!), { content: 'm' }));
  const obsolete = (): readonly number[] => secretRecord(callers.view(), 'db/0', id!)?.obsolete ?? [];
  expect(obsolete()).toEqual([2]);
  const hook: SecretHook = { kind: 'secret-remove', secret: id!, label: '', revision: 2 };
  await callers.change((tx) => commit(tx, 'web/0', hook, {}));
  expect(obsolete(), 'what another unit says does not count').toEqual([2]);
  await callers.change((tx) => commit(tx, 'db/0', hook, {}));
  expect(obsolete()).toEqual([]);
  await callers.change((tx) => {
    const revision = tx.get('secret-revision', `${id}/2`)!;
    tx.put('secret-revision', `${id}/2`, { ...revision, told: 'db/9' });
  });
  expect(obsolete(), 'told to a leader before').toEqual([2]);
});

test('a revision that becomes the newest again, and then obsolete, is told again', async () => {
  const [id] = await track('db/0', 1);
  await callers.change((tx) =>
    tx.put('secret-consumer', `${id} db/0`, { secret: id!, unit: 'db/0', current: 2, label: '' }),
  );
  await callers.change((tx) => {
    const revision = tx.get('secret-revision', `${id}/1`)!;
    tx.put('secret-revision', `${id}/1`, { ...revision, obsolete: true, told: 'db/0' });
  });
  await callers.change((tx) => removeSecret(tx, id!, [2]));
  expect(callers.view().get('secret-revision', `${id}/1`)).toMatchObject({ obsolete: false });
  expect(callers.view().get('secret-revision', `${id}/1`)).not.toHaveProperty('told');
});

test('the charm on a machine that takes the place of a lost one is told again', async () => {
  const [changed, obsolete] = await track('web/0', 2);
  await callers.change((tx) => {
    tx.remove('secret-consumer', `${obsolete} web/0`);
    updateSecret(tx, mustGetSecret(tx, obsolete!), { content: 'm' });
    const hook = { label: '', revision: 2 };
    commit(tx, 'web/0', { ...hook, kind: 'secret-changed', secret: changed! }, {});
    commit(tx, 'db/0', { ...hook, kind: 'secret-remove', secret: obsolete! }, {});
  });
  const due = (): unknown[] => [
    secretRecord(callers.view(), 'web/0', changed!)?.latest,
    secretRecord(callers.view(), 'db/0', obsolete!)?.obsolete,
  ];
  expect(due()).toEqual([undefined, undefined]);
  for (const machine of ['0', '2'])
    await callers.change((tx) => resetMachine(tx, tx.get('machine', machine)!));
  expect(due()).toEqual([2, [2]]);
  expect(callers.view().get('secret-consumer', `${changed} web/0`)).toMatchObject({ current: 1 });
});
