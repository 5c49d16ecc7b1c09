import { expect, test } from 'vitest';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { addRelation } from '../transactions/begin/add-relation.ts';
import { destroyApplication } from '../transactions/end/destroy-application.ts';
import { createSecret } from '../transactions/secrets.ts';
import { destroyRelation } from '../transactions/end/destroy-relation.ts';
import { destroyOrphan } from '../transactions/end/destroy-unit.ts';
import { enterScope } from '../transactions/agent/enter-scope.ts';
import { unitDeployed } from '../transactions/agent/unit-agent.ts';

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
