import { expect, test } from 'vitest';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { addRelation } from '../transactions/begin/add-relation.ts';
import { destroyApplication } from '../transactions/end/destroy-application.ts';
import { grantSecret, mayRead } from '../transactions/agent/secret-access.ts';
import { createSpace } from '../transactions/begin/create-space.ts';
import { renameSpace } from '../transactions/set/rename-space.ts';
import { createSecret } from '../transactions/shared/secrets.ts';
import { destroyRelation } from '../transactions/end/destroy-relation.ts';
import { destroyOrphan } from '../transactions/end/destroy-unit.ts';
import { enterScope } from '../transactions/agent/enter-scope.ts';
import { unitDeployed } from '../transactions/agent/unit-agent.ts';
import { Cleaner } from './cleaner.ts';

/** mysql/0 with a deployed subordinate logging/0. */
async function subordinate(model: ModelFixture): Promise<{ relation: number }> {
  await model.deploy('mysql');
  await model.deploy('logging');
  const {
    relation: { id },
  } = await model.change((tx) => addRelation(tx, { endpoints: ['logging', 'mysql'] }));
  await model.change((tx) => {
    unitDeployed(tx, 'mysql/0');
    enterScope(tx, { unit: 'mysql/0', relation: String(id) });
    unitDeployed(tx, 'logging/0');
  });
  return { relation: id };
}

test.each([
  { before: 'alive', after: 'alive', ignored: true },
  { before: 'alive', after: 'alive', force: true, ignored: false },
  { before: 'alive', after: 'dying', ignored: false },
  { before: 'dying', after: 'dying', ignored: false },
  { before: undefined, after: 'alive', ignored: false },
  { before: 'dead', after: undefined, ignored: false },
])('a change from $before to $after, forced: $force, is ignored: $ignored', (change) => {
  const doc = (life: string | undefined): object | undefined =>
    life === undefined ? undefined : { life, ...(change.force && { force: {} }) };
  const ignored = Cleaner.prototype.ignores({ before: doc(change.before), after: doc(change.after) });
  expect(ignored).toBe(change.ignored);
});

test.each(['before', 'after'])(
  'a relation removed by force takes its subordinates along, whether the cleaner started %s',
  async (when) => {
    await using model = await modelFixture();
    const { relation } = await subordinate(model);
    let pass = cleanerOf(model);
    await pass();
    await model.change((tx) => destroyRelation(tx, { id: relation, force: { maxWaitMs: 0, by: 'test' } }));
    expect(model.view().get('relation', String(relation))).toBeUndefined();
    if (when === 'after') pass = cleanerOf(model);
    await pass();
    expect(model.view().get('unit', 'logging/0')?.life).toBe('dying');
    expect(model.view().get('unit', 'mysql/0')?.life).toBe('alive');
  },
);

test('machines that run get the new name of a space whose rename a dead controller has begun', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql', { numUnits: 3 });
  await model.change((tx) => {
    createSpace(tx, { name: 'a', cidrs: [] });
    for (const [i, id] of ['0', '1', '2'].entries())
      tx.put('machine', id, {
        ...tx.get('machine', id)!,
        nonce: 'n',
        constraints: i < 2 ? { spaces: ['^a', 'other'] } : {},
      });
  });
  await model.change((tx) => renameSpace(tx, { from: 'a', to: 'b' }));
  await expect(model.change((tx) => renameSpace(tx, { from: 'b', to: 'c' }))).rejects.toMatchObject({
    code: 'try again',
  });
  await cleanerOf(model)();
  expect(['0', '1', '2'].map((id) => model.view().get('machine', id)?.constraints)).toEqual([
    { spaces: ['^b', 'other'] },
    { spaces: ['^b', 'other'] },
    {},
  ]);
  expect(model.view().get('space', 'b')).not.toHaveProperty('formerly');
});

test('a subordinate that is related anew stays, also when its agent has seen only the end', async () => {
  await using model = await modelFixture();
  const { relation } = await subordinate(model);
  const pass = cleanerOf(model);
  await pass();
  await model.change((tx) => {
    destroyRelation(tx, { id: relation, force: { maxWaitMs: 0, by: 'test' } });
    addRelation(tx, { endpoints: ['logging', 'mysql'] });
  });
  await model.change((tx) => destroyOrphan(tx, 'logging/0'));
  await model.change((tx) => destroyOrphan(tx, 'mysql/0'));
  await pass();
  expect([...model.view().list('unit')].map((unit) => [unit.name, unit.life])).toEqual([
    ['mysql/0', 'alive'],
    ['logging/0', 'alive'],
  ]);
});

test('an application with very many secrets is dead until they are removed, some at a time', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  const count = 450;
  await model.change((tx) => {
    for (let n = 0; n < count; n++) {
      const id = `${String(n).padStart(19, '0')}0`;
      createSecret(tx, { id, owner: { kind: 'application', id: 'mysql' }, content: `k${n}` });
    }
  });
  const pass = cleanerOf(model);
  await pass();
  await model.change((tx) =>
    destroyApplication(tx, { application: 'mysql', force: { maxWaitMs: 0, by: 'test' } }),
  );
  expect(model.view().get('application', 'mysql')?.life).toBe('dead');
  expect(model.view().count('secret')).toBe(count);
  const sizes: number[] = [];
  const end = model.store.watch(({ changes }) => {
    sizes.push(changes.filter(({ kind }) => kind === 'secret').length);
  });
  await pass();
  end();
  expect(model.view().get('application', 'mysql')).toBeUndefined();
  expect(model.view().count('secret') + model.view().count('secret-revision')).toBe(0);
  expect(Math.max(...sizes)).toBeLessThan(100);
});

test('very many grants end with their relation at once, and are removed some at a time', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  await model.deploy('wordpress');
  const { relation } = await model.change((tx) => addRelation(tx, { endpoints: ['wordpress', 'mysql'] }));
  const count = 450;
  const idOf = (n: number): string => `${String(n).padStart(19, '0')}0`;
  await model.change((tx) => {
    for (let n = 0; n < count; n++) {
      createSecret(tx, { id: idOf(n), owner: { kind: 'application', id: 'mysql' }, content: `k${n}` });
      const subject = { kind: 'application', id: 'wordpress' } as const;
      grantSecret(tx, { secret: idOf(n), subject, relation: String(relation.id) });
    }
  });
  const mayReadIt = (): boolean => {
    const view = model.view();
    return mayRead(view, view.get('secret', idOf(7))!, view.get('unit', 'wordpress/0')!);
  };
  expect(mayReadIt()).toBe(true);
  const pass = cleanerOf(model);
  await pass();
  const sizes: number[] = [];
  const end = model.store.watch(({ changes }) => void sizes.push(changes.length));
  await model.change((tx) => destroyRelation(tx, { id: relation.id }));
  expect(mayReadIt()).toBe(false);
  expect(model.view().count('secret-grant')).toBe(count);
  await pass();
  end();
  expect(
    model.view().count('secret-grant') + model.view().count('relation', 'application', 'wordpress'),
  ).toBe(0);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
});

test('an application to which very many secrets are granted is dead until the grants are removed', async () => {
  await using model = await modelFixture();
  await model.deploy('mysql');
  const count = 450;
  await model.change((tx) => {
    for (let n = 0; n < count; n++) {
      const id = `${String(n).padStart(19, '0')}0`;
      createSecret(tx, { id, owner: { kind: 'model', id: '' }, content: `k${n}` });
      grantSecret(tx, { secret: id, subject: { kind: 'application', id: 'mysql' }, relation: '' });
    }
  });
  const pass = cleanerOf(model);
  await pass();
  await model.change((tx) =>
    destroyApplication(tx, { application: 'mysql', force: { maxWaitMs: 0, by: 'test' } }),
  );
  expect(model.view().get('application', 'mysql')?.life).toBe('dead');
  await pass();
  expect(model.view().get('application', 'mysql')).toBeUndefined();
  expect([model.view().count('secret'), model.view().count('secret-grant')]).toEqual([count, 0]);
});
