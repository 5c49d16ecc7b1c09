import { expect, test } from 'vitest';
import { cleanerOf } from '../../testing/cleaner.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { addRelation } from '../transactions/begin/add-relation.ts';
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
