/** Tests of a model at its size limit: what is refused, and what must still be possible. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployUnits } from '../../../testing/deploy-units.ts';
import { enqueueTasks } from '../../transactions/begin/enqueue-tasks.ts';

const backup = { kind: 'unit' as const, name: 'web/0', action: { name: 'backup', parameters: {} } };

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web');
  await callers.addCharm('other');
  await callers.change((tx) => {
    deployUnits(tx, 'web', 2);
    enqueueTasks(tx, { summary: '', receivers: [backup] });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const agent = (method: string, params: object): Promise<unknown> =>
  callers.call('MachineAgent', method, params, { as: { kind: 'machine', machine: '0' } });
let hooks = 0;
const commitHook = (change: object): Promise<unknown> =>
  agent('CommitHook', {
    unit: 'web/0',
    hookId: `h${++hooks}`,
    relationSettings: [],
    openPorts: [],
    closePorts: [],
    agentState: {},
    ...change,
  });
const text = (length: number): string => 'x'.repeat(length);
const keep = (size: number): Promise<unknown> =>
  commitHook({ charmState: { set: { kept: text(size) }, delete: [] } });

/** Fills the model up to its limit. */
async function fill(): Promise<void> {
  await keep(60_000);
  const held = callers.store.held(callers.model);
  await callers.store.change((tx) => {
    const self = tx.get('controller', 'self')!;
    tx.put('controller', 'self', { ...self, config: { ...self.config, 'max-model-size': held } });
  }, 'test');
}
const full = {
  code: 'quota limit exceeded',
  message: expect.stringMatching(
    /^records of model default: \d+ bytes exceed the limit of \d+ \(max-model-size\); remove applications/,
  ) as string,
};

test('a full model refuses additions before anything is written', async () => {
  await fill();
  const { revision } = callers.store.read();
  await expect(callers.change((tx) => deployUnits(tx, 'other'))).rejects.toMatchObject(full);
  await expect(keep(65_000)).rejects.toMatchObject(full);
  await expect(
    callers.change((tx) => enqueueTasks(tx, { summary: '', receivers: [backup] })),
  ).rejects.toMatchObject(full);
  const annotate = callers.call('Annotations', 'Set', {
    annotations: [{ entity: 'application-web', annotations: { a: 'b' } }],
  });
  await expect(annotate).resolves.toMatchObject({ results: [{ error: full }] });
  expect(callers.store.read().revision).toBe(revision);
});

test('agents of a full model can set statuses, finish tasks and shrink their state, which makes room again', async () => {
  await fill();
  for (const status of ['maintenance', 'active'])
    await agent('SetStatus', { kind: 'workload', unit: 'web/0', status, message: `it is ${status}` });
  const [task] = [...callers.view().list('task')];
  await agent('StartTask', { id: task!.id });
  await expect(
    agent('FinishTask', { id: task!.id, status: 'completed', message: '', output: { a: text(9000) } }),
  ).rejects.toMatchObject(full);
  await agent('FinishTask', { id: task!.id, status: 'failed', message: 'the model is full', output: {} });
  await commitHook({
    openPorts: [{ endpoint: '', range: '80/tcp' }],
    charmState: { set: {}, delete: ['kept'] },
  });
  expect(callers.view().get('unit', 'web/0')?.ports).toEqual({ '': ['80/tcp'] });
  await callers.change((tx) => deployUnits(tx, 'other'));
});

test('a full model is emptied by the usual commands, and explain shows how full it is', async () => {
  await fill();
  const usage = async (): Promise<{ used: number; max: number } | undefined> => {
    const { quotas } = await callers.call<{ quotas: { limit: string; used: number; max: number }[] }>(
      'Lives',
      'Explain',
      { names: [] },
    );
    return quotas.find(({ limit }) => limit === 'modelBytes');
  };
  const before = (await usage())!;
  expect(before.used).toBe(before.max);
  await callers.change((tx) => tx.put('unit', 'web/0', { ...tx.get('unit', 'web/0')!, deployed: true }));
  const destroyed = await callers.call('Application', 'DestroyUnit', {
    units: [{ 'unit-tag': 'unit-web-0' }, { 'unit-tag': 'unit-web-1' }],
  });
  expect(destroyed).toMatchObject({ results: [{ info: {} }, { info: {} }] });
  expect(callers.view().get('unit', 'web/0')?.life).toBe('dying');
  await agent('UnitDead', { unit: 'web/0' });
  await agent('RemoveUnit', { unit: 'web/0' });
  const rest = await callers.call('Application', 'DestroyApplication', {
    applications: [{ 'application-tag': 'application-web' }],
  });
  expect(rest).toMatchObject({ results: [{ info: {} }] });
  expect(callers.view().get('application', 'web')).toBeUndefined();
  expect((await usage())!.used).toBeLessThan(before.used - 60_000);
});
