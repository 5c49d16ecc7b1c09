import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { trackSecret } from '../transactions/agent/secret-access.ts';
import {
  countLeft,
  createSecret,
  mustGetSecret,
  removeSecret,
  updateSecret,
} from '../transactions/shared/secrets.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { indexes } from '../../core/documents.ts';
import { SecretRemover } from './secret-remover.ts';

const count = 450;
const idOf = (n: number): string => `${String(n).padStart(19, '0')}0`;

/** mysql/0 reads the first revision of each of the application's secrets, and has as many of its own. */
async function readSecrets(model: ModelFixture): Promise<void> {
  await model.deploy('mysql', { numUnits: 2 });
  await model.change((tx) => {
    for (let n = 0; n < count; n++) {
      const id = idOf(n);
      createSecret(tx, { id, owner: { kind: 'application', id: 'mysql' }, content: `k${n}` });
      tx.put('secret-consumer', `${id} mysql/0`, { secret: id, unit: 'mysql/0', current: 1, label: '' });
      updateSecret(tx, tx.get('secret', id)!, { content: `l${n}` });
      createSecret(tx, { id: idOf(count + n), owner: { kind: 'unit', id: 'mysql/0' }, content: `o${n}` });
    }
  });
}
function removerOf(model: ModelFixture): {
  pass: (signal?: AbortSignal) => Promise<void>;
  woken: () => number;
  stop: () => void;
} {
  let woken = 0;
  const dispatch = createDispatch(model.store, indexes);
  const remover = new SecretRemover({
    store: model.store,
    modelUuid: model.uuid,
    services: { dispatch, nextTurn: setImmediate },
    wake: () => void (woken += 1),
  });
  return {
    pass: (signal = new AbortController().signal) => remover.pass(signal),
    woken: () => woken,
    stop: () => {
      remover.stop();
      dispatch.stop();
    },
  };
}
const leave = (model: ModelFixture): Promise<unknown> =>
  model.change((tx) => destroyUnit(tx, { unit: 'mysql/0' }));

test.each(['before', 'after'])(
  'a unit with very many secrets goes at once and its secrets some at a time, when the remover started %s',
  async (when) => {
    await using model = await modelFixture();
    await readSecrets(model);
    let remover = removerOf(model);
    await remover.pass();
    await leave(model);
    expect(model.view().get('unit', 'mysql/0')).toBeUndefined();
    expect(model.view().count('secret-consumer')).toBe(count);
    expect(remover.woken()).toBe(1);
    if (when === 'after') {
      remover.stop();
      remover = removerOf(model);
    }
    const sizes: number[] = [];
    const end = model.store.watch(({ changes }) => void sizes.push(changes.length));
    await remover.pass();
    end();
    const view = model.view();
    expect(view.count('secret-consumer')).toBe(0);
    expect([...view.list('secret')].every(({ owner }) => owner.id === 'mysql')).toBe(true);
    expect(view.count('secret')).toBe(count);
    expect(view.get('secret-revision', `${idOf(7)}/1`)?.obsolete).toBe(true);
    expect(Math.max(...sizes), '200 readings and as many revisions').toBeLessThanOrEqual(400);
    remover.stop();
  },
);

test('the secrets that a unit with few secrets had and read go with the unit', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 2 });
  await model.change((tx) => {
    for (const n of [1, 2])
      createSecret(tx, { id: idOf(n), owner: { kind: 'unit', id: `mysql/${n - 1}` }, content: `k${n}` });
    const id = idOf(2);
    tx.put('secret-consumer', `${id} mysql/0`, { secret: id, unit: 'mysql/0', current: 1, label: '' });
  });
  const remover = removerOf(model);
  await leave(model);
  expect([...model.view().list('secret')].map(({ id }) => id)).toEqual([idOf(2)]);
  expect(model.view().count('secret-consumer')).toBe(0);
  expect(remover.woken()).toBe(0);
  remover.stop();
});

/** A secret with as many grants, revisions and readers as may be; mysql/0 is one of the readers. */
async function largestSecret(model: ModelFixture): Promise<string> {
  const id = idOf(1);
  const readers = 20_000;
  await model.deploy('mysql');
  await model.change((tx) =>
    createSecret(tx, { id, owner: { kind: 'application', id: 'mysql' }, content: 'k1' }),
  );
  for (let n = 0; n < readers; n += 1000)
    await model.change((tx) => {
      for (let i = n; i < n + 1000; i++) {
        const unit = `mysql/${i}`;
        tx.put('unit', unit, { ...tx.get('unit', 'mysql/0')!, name: unit });
        tx.put('secret-consumer', `${id} ${unit}`, { secret: id, unit, current: 1, label: '' });
        const subject = { kind: 'unit', id: unit } as const;
        if (i < limits.secretGrants.max)
          tx.put('secret-grant', `${id} unit ${unit}`, { secret: id, subject, relation: '' });
        if (i > 0 && i < limits.secretRevisions.max)
          updateSecret(tx, mustGetSecret(tx, id), { content: `k${i + 1}` });
      }
    });
  expect(countLeft(model.view(), id)).toBe(readers + limits.secretGrants.max + limits.secretRevisions.max);
  return id;
}

test('a secret with very many records is gone at once, and its records some at a time, also after a crash between', async () => {
  await using model = await modelFixture();
  const id = await largestSecret(model);
  let remover = removerOf(model);
  await remover.pass();
  const sizes: number[] = [];
  const end = model.store.watch(({ changes }) => void sizes.push(changes.length));
  await model.change((tx) => removeSecret(tx, id));
  expect(sizes).toEqual([1]);
  expect(remover.woken()).toBe(1);
  const mysql = model.view().get('unit', 'mysql/0')!;
  await expect(
    model.change((tx) =>
      trackSecret(tx, { unit: mysql, secret: mustGetSecret(tx, id), label: '', peek: false, refresh: true }),
    ),
  ).rejects.toMatchObject({ code: 'not found' });
  const again = { id, owner: { kind: 'unit', id: 'mysql/0' }, content: 'x' } as const;
  await expect(model.change((tx) => createSecret(tx, again))).rejects.toMatchObject({
    code: 'already exists',
  });

  const aborter = new AbortController();
  const abort = model.store.watch(() => sizes.length === 20 && aborter.abort());
  await expect(remover.pass(aborter.signal)).rejects.toThrow();
  abort();
  remover.stop();
  expect(model.view().count('secret-revision', 'secret', id), 'contents are erased first').toBe(0);
  expect(countLeft(model.view(), id)).toBeGreaterThan(25_000);

  remover = removerOf(model);
  await remover.pass();
  expect(countLeft(model.view(), id)).toBe(0);
  expect(Math.max(...sizes)).toBe(200);
  end();
  await model.change((tx) => createSecret(tx, again));
  remover.stop();
}, 60_000);

test('a unit to which very many secrets are granted goes at once, and the grants some at a time', async () => {
  await using model = await modelFixture();
  await readSecrets(model);
  await model.change((tx) => {
    const subject = { kind: 'unit', id: 'mysql/0' } as const;
    for (let n = 0; n < count; n++)
      tx.put('secret-grant', `${idOf(n)} unit mysql/0`, { secret: idOf(n), subject, relation: '' });
  });
  const remover = removerOf(model);
  await leave(model);
  expect(model.view().count('secret-grant')).toBe(count);
  await remover.pass();
  expect(model.view().count('secret-grant')).toBe(0);
  remover.stop();
});
