import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { createCallers, type Callers, type How } from '../../../testing/call.ts';
import type { lives } from '../../../wire/facades/lives.ts';
import type { ResultOf } from '../../facade.ts';
import { addRelation } from '../../transactions/begin/add-relation.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { unitDeployed } from '../../transactions/agent/unit-agent.ts';
import type { Tx } from '../../transactions/tx.ts';
import { deployUnits } from '../../../testing/deploy-units.ts';

type Plan = ResultOf<typeof lives, 'PlanRemoval'>;

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web', { requires: { db: 'mysql' } });
  await callers.addCharm('mysql', { provides: { server: 'mysql' }, peers: { cluster: 'mysql-cluster' } });
  await callers.addCharm('log', {
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  });
  await callers.change((tx) => {
    deployUnits(tx, 'web', 2);
    deployUnits(tx, 'mysql', 1);
    deployUnits(tx, 'log', 0);
    addRelation(tx, { endpoints: ['web', 'mysql'] });
    addRelation(tx, { endpoints: ['log', 'web'] });
    for (const unit of ['web/0', 'mysql/0']) {
      unitDeployed(tx, unit);
      enterScope(tx, { unit, relation: relationId(tx, 'web:db mysql:server') });
    }
    enterScope(tx, { unit: 'web/0', relation: relationId(tx, 'log:info web:juju-info') });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = Plan>(method: string, params: unknown, how?: How): Promise<R> =>
  callers.call<R>('Lives', method, params, how);
const plan = (targets: readonly object[], more: object = {}, how?: How): Promise<Plan> =>
  call('PlanRemoval', { targets, ...more }, how);

function relationId(tx: Tx, key: string): string {
  return String([...tx.find('relation', 'key', key)][0]!.id);
}

describe('PlanRemoval', () => {
  test('PlanRemoval lists what dies, stays and is waited for, and changes nothing', async () => {
    const before = callers.store.read().revision;
    const of = 'application "web"';
    expect(await plan([{ tag: 'application-web' }])).toEqual({
      targets: [
        {
          dies: [
            { kind: 'application', reason: 'asked', why: 'requested', names: ['web'] },
            { kind: 'unit', reason: 'unit-of', why: `unit of ${of}`, names: ['web/0', 'web/1'] },
            {
              kind: 'relation',
              reason: 'relation-of',
              why: `relation of ${of}`,
              names: ['web:db mysql:server', 'log:info web:juju-info'],
            },
            {
              kind: 'unit',
              reason: 'subordinate-of',
              why: `subordinate to a removed unit of ${of}`,
              names: ['log/0'],
            },
            { kind: 'machine', reason: 'emptied', why: 'its last unit is removed', names: ['0', '1'] },
          ],
        },
      ],
      keeps: [],
      waits: [
        {
          kind: 'unit',
          reason: 'stop',
          why: 'hooks for leaving relations and stopping',
          names: ['web/0'],
        },
        {
          kind: 'unit',
          reason: 'leave',
          why: 'hooks for leaving relation "web:db mysql:server"',
          names: ['mysql/0'],
        },
      ],
      pending: [
        {
          application: 'log',
          missing: [
            { endpoint: 'juju-info', interface: 'juju-info', shown: 'info (juju-info)', applications: [] },
          ],
        },
      ],
    });
    expect(callers.store.read().revision).toBe(before);
  });

  test('PlanRemoval lists applications that would then wait, and those that require them', async () => {
    const required = (its: string) => ({ interface: its, optional: false });
    await callers.addCharm('shop', { requires: { db: required('mysql') }, provides: { api: 'shop' } });
    await callers.addCharm('other', { provides: { server: 'mysql' } });
    await callers.addCharm('front', { requires: { shop: required('shop') } });
    await callers.change((tx) => {
      for (const name of ['shop', 'front', 'other']) deployUnits(tx, name);
      addRelation(tx, { endpoints: ['shop', 'mysql'] });
      addRelation(tx, { endpoints: ['front', 'shop'] });
    });
    const shop = { application: 'shop', missing: [{ endpoint: 'db', interface: 'mysql', applications: [] }] };
    const front = {
      application: 'front',
      missing: [{ endpoint: 'shop', interface: 'shop', applications: ['shop'] }],
    };
    const told = expect.arrayContaining([shop, front]) as unknown;
    expect((await plan([{ tag: 'application-mysql' }])).pending).toEqual(told);
    expect((await plan([{ endpoints: ['shop', 'mysql'] }])).pending).toEqual(told);
    expect((await plan([{ tag: 'unit-mysql-0' }])).pending).toBeUndefined();
    const both = [{ tag: 'application-mysql' }, { tag: 'application-shop' }];
    expect((await plan(both)).pending).toEqual([
      { ...front, missing: [{ ...front.missing[0], applications: [] }] },
    ]);
    await callers.change((tx) => addRelation(tx, { endpoints: ['shop', 'other'] }));
    expect((await plan([{ tag: 'application-mysql' }])).pending, 'it has another').toBeUndefined();
  });

  test('PlanRemoval finds relations by their endpoints, as users write them, or by id', async () => {
    const byEnds = await plan([{ endpoints: ['web', 'mysql'] }]);
    expect(byEnds.targets[0]?.dies?.[0]?.names).toEqual(['web:db mysql:server']);
    const id = [...callers.view().find('relation', 'key', 'web:db mysql:server')][0]!.id;
    expect(await plan([{ 'relation-id': id }])).toEqual(byEnds);
  });

  test('PlanRemoval reports refusals at their places, and whether force helps', async () => {
    const { targets } = await plan([
      { tag: 'unit-web-9' },
      { tag: 'unit-web-1' },
      { tag: 'unit-log-0' },
      { tag: 'machine-0' },
      { tag: 'user-admin' },
      { endpoints: ['web', 'nobody'] },
    ]);
    expect(targets).toMatchObject([
      { error: { code: 'not found', message: 'unit "web/9" not found' } },
      { dies: [{ names: ['web/1'] }, { kind: 'machine' }] },
      { error: { message: expect.stringContaining('is a subordinate') as string } },
      { error: { code: 'machine has assigned units' }, 'force-helps': true },
      { error: { code: 'not valid' } },
      { error: { code: 'not found' } },
    ]);
    expect((await plan([{ tag: 'machine-0' }], { force: true })).targets[0]).toMatchObject({
      'passed-over': ['machine 0 has unit "web/0" assigned'],
      dies: [{ names: ['0'] }, { reason: 'on', names: ['web/0'] }, { names: ['log/0'] }],
    });
  });

  test('PlanRemoval needs the access of a removal', async () => {
    await callers.addUser('reader');
    await callers.grant('reader', 'read');
    await expect(plan([{ tag: 'unit-web-0' }], {}, { as: 'reader' })).rejects.toMatchObject({
      code: 'unauthorized access',
    });
  });
});

test('PlanModelRemoval plans for each model once, however often it is named', async () => {
  const models = Array.from({ length: 3 }, () => ({ 'model-tag': `model-${callers.model}` }));
  const again = { error: { code: 'bad request', message: `model ${callers.model} is named more than once` } };
  expect(await call('PlanModelRemoval', { models }, { model: '' })).toMatchObject({
    results: [{ plan: { targets: [{}] } }, again, again],
  });
});

test('PlanModelRemoval plans for a whole model, for its admins', async () => {
  const models = [
    { 'model-tag': `model-${callers.model}` },
    { 'model-tag': `model-${callers.controllerModel}` },
  ];
  const { results } = await call<ResultOf<typeof lives, 'PlanModelRemoval'>>(
    'PlanModelRemoval',
    { models },
    { model: '' },
  );
  expect(results).toMatchObject([
    {
      plan: {
        targets: [
          {
            dies: [
              { kind: 'model', reason: 'asked' },
              { kind: 'application', names: ['web', 'mysql', 'log'] },
              { kind: 'machine', names: ['0', '1', '2'] },
              { kind: 'unit', names: ['web/0', 'web/1'] },
              { kind: 'relation' },
              { kind: 'unit', names: ['mysql/0'] },
              { kind: 'relation', names: ['mysql:cluster'] },
              { kind: 'unit', names: ['log/0'] },
            ],
          },
        ],
      },
    },
    { error: { message: expect.stringContaining('destroy-controller') as string } },
  ]);
  await callers.addUser('writer');
  await callers.grant('writer', 'write');
  expect(await call('PlanModelRemoval', { models }, { as: 'writer', model: '' })).toMatchObject({
    results: [{ error: { code: 'unauthorized access' } }, { error: { code: 'unauthorized access' } }],
  });
  expect(callers.store.read().get('model', callers.model)?.life).toBe('alive');
});

test('PlanControllerRemoval lists the hosted models, also when they are the reason for a refusal', async () => {
  const plan = (destroy: boolean): Promise<ResultOf<typeof lives, 'PlanControllerRemoval'>> =>
    call('PlanControllerRemoval', { 'destroy-models': destroy }, { model: '' });
  expect(await plan(false)).toMatchObject({
    error: { code: 'controller has hosted models' },
    models: [{ name: 'admin/default' }],
  });
  const { error, models } = await plan(true);
  expect(error).toBeUndefined();
  expect(models.map(({ name }) => name)).toEqual(['admin/default']);
  expect(callers.store.read().get('model', callers.model)?.life).toBe('alive');
});

test('PlanControllerRemoval tells of a migration before any other reason for a refusal, and names its model as DestroyModels and its plan do', async () => {
  const plan = (): Promise<ResultOf<typeof lives, 'PlanControllerRemoval'>> =>
    call('PlanControllerRemoval', { 'destroy-models': true }, { model: '' });
  await callers.change((tx) =>
    tx.put('block', 'BlockRemove', { type: 'BlockRemove', message: '', number: 0 }),
  );
  expect((await plan()).error?.code).toBe('operation is blocked');
  const move = (phase: 'VALIDATION' | 'ABORT'): Promise<unknown> =>
    callers.store.change((tx) => {
      const target = { uuid: 'u', alias: 'new', addresses: [], caCert: '', user: 'user-admin' };
      const of = { model: callers.model, attempt: 0, startedAt: tx.now, phaseAt: tx.now, message: '' };
      tx.put('migration', callers.model, { ...of, phase, target, asked: true });
    }, 'test');
  await move('VALIDATION');
  const words = 'model "admin/default" goes to controller "new", in phase VALIDATION';
  const refused = {
    code: 'model migration in progress',
    message: expect.stringContaining(words) as string,
  };
  expect((await plan()).error).toMatchObject(refused);
  await move('ABORT');
  expect((await plan()).error?.code).toBe('operation is blocked');
  await callers.change((tx) => tx.remove('block', 'BlockRemove'));
  await move('VALIDATION');
  const models = [{ 'model-tag': `model-${callers.model}` }];
  for (const [facade, method] of [
    ['Lives', 'PlanModelRemoval'],
    ['ModelManager', 'DestroyModels'],
  ] as const)
    expect(await callers.call(facade, method, { models }, { model: '' })).toMatchObject({
      results: [{ error: refused }],
    });
});

test('other requests run while very many units are planned for', async () => {
  const many = 20_000;
  await callers.change((tx) => {
    const unit = tx.get('unit', 'mysql/0')!;
    for (let n = 1; n < many; n++) {
      const doc: UnitDoc = { ...unit, name: `mysql/${n}`, machine: String(n + 10) };
      tx.put('unit', doc.name, doc);
      tx.put('machine', doc.machine!, { ...tx.get('machine', '2')!, id: doc.machine! });
    }
  });
  let turns = 0;
  let planning = true;
  const tick = (): void => {
    turns++;
    if (planning) setImmediate(tick);
  };
  setImmediate(tick);
  const { targets } = await plan([{ tag: 'application-mysql' }]);
  planning = false;
  expect(targets[0]?.dies?.map(({ names }) => names.length)).toEqual([1, many, 2, many]);
  expect(turns).toBeGreaterThan((2 * many) / 200);
});
