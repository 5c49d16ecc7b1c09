/** Outcomes of tasks that the controller refuses. */
import { afterEach, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import type { HookChanges } from '../../hooks/context.ts';
import { bench, stopBenches, type Bench } from '../../testing/machine-bench.ts';
import type { SimulatedCharm } from '../../testing/simulated-hooks.ts';

afterEach(stopBenches);

const deployed = (charm: SimulatedCharm): Bench => {
  const b = bench(charm);
  b.controller.addApplication('web');
  b.controller.addUnit('web');
  return b;
};

test('a task whose output exceeds a limit fails with that message', async () => {
  const b = deployed(({ name, context }) => {
    if (name === 'backup') context.changes.action.results['file'] = 'b.tar';
  });
  b.controller.onCall = (method, params) => {
    const { output } = params as { output?: object };
    if (method === 'FinishTask' && Object.keys(output ?? {}).length > 0)
      throw new JujuError('quota limit exceeded', 'output: 3 bytes exceed the limit of 2');
  };
  b.start();
  await b.idle('web/0');
  b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {} });
  await b.controller.until(() => b.controller.finished.length === 1);
  const message = 'output: 3 bytes exceed the limit of 2';
  expect(b.controller.finished).toEqual([{ id: '1', status: 'failed', message, output: {} }]);
});

test('a task that the controller cannot read fails with its reason, and those after it run', async () => {
  let begun = 0;
  const b = deployed(({ name }) => {
    if (name === 'backup') begun++;
  });
  b.start();
  await b.idle('web/0');
  const problem = "the controller cannot decrypt the task's parameters";
  b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {}, problem });
  b.controller.addTask({ id: '2', receiver: 'web/0', name: 'backup', parameters: {} });
  await b.controller.until(() => b.controller.finished.length === 2);
  expect(b.controller.finished).toMatchObject([
    { id: '1', status: 'failed', message: problem },
    { id: '2', status: 'completed' },
  ]);
  expect(begun).toBe(1);
});

test('a task whose two outputs do not fit in one request ends with its status, and the one without secrets', async () => {
  const b = deployed(({ name, context }) => {
    if (name !== 'backup') return;
    context.mask.add({ password: Buffer.from('hunter2').toString('base64') });
    context.changes.action.results['file'] = 'hunter2.tar';
  });
  b.controller.onCall = (method, params) => {
    if (method === 'FinishTask' && 'revealed' in (params as object))
      throw new JujuError('quota limit exceeded', 'request: 9 bytes exceed the limit of 8');
  };
  b.start();
  await b.idle('web/0');
  b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {} });
  await b.controller.until(() => b.controller.finished.length === 1);
  expect(b.controller.finished).toMatchObject([
    { id: '1', status: 'completed', output: { file: '*****.tar' } },
  ]);
});

test.each<[string, (action: HookChanges['action']) => void]>([
  ['output', (action) => (action.results['file'] = '\0'.repeat(1000))],
  [
    'message',
    (action) => {
      action.failed = true;
      action.message = '\0'.repeat(1000);
    },
  ],
])('a task whose %s fits in no request ends with the reason', async (_, act) => {
  const b = deployed(({ name, context }) => {
    if (name === 'backup') act(context.changes.action);
  });
  b.controller.onCall = (method, params) => {
    if (method === 'FinishTask' && JSON.stringify(params).length > 1000)
      throw new JujuError('bad request', 'request: 9 bytes exceed the limit of 8');
  };
  b.start();
  await b.idle('web/0');
  b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {} });
  await b.controller.until(() => b.controller.finished.length === 1);
  const message = 'request: 9 bytes exceed the limit of 8';
  expect(b.controller.finished).toEqual([{ id: '1', status: 'failed', message, output: {} }]);
});
