import { expect, test } from 'vitest';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { destroyUnit } from '../transactions/end/destroy-unit.ts';
import { createSecret, updateSecret } from '../transactions/secrets.ts';
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
  pass: () => Promise<void>;
  woken: () => number;
  stop: () => void;
} {
  let woken = 0;
  const dispatch = createDispatch(model.store, indexes);
  const remover = new SecretRemover({
    store: model.store,
    modelUuid: model.uuid,
    services: { dispatch },
    wake: () => void (woken += 1),
  });
  return {
    pass: () => remover.pass(new AbortController().signal),
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
  'a unit with very many secrets goes at once and these some at a time, when the remover started %s',
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

test('what a unit with few secrets had and read goes with it', async () => {
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
