import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
const units = 40;
beforeEach(async () => {
  callers = await createCallers();
  const params = { type: 'object', properties: { file: { type: 'string', default: 'x'.repeat(900_000) } } };
  const load = { description: '', params, parallel: false, executionGroup: '' };
  await callers.addCharm('app', {}, { actions: { load } });
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'app', 'charm-url': 'local:app-0', 'num-units': units }],
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

/** Requests for a number of units, each of which gets nearly a megabyte. */
const requests: readonly (readonly [string, (count: number) => Promise<unknown>])[] = [
  ...['true #', 'secret-add a='].map(
    (command) =>
      [
        `the command ${command}`,
        (count: number) =>
          callers.call('Action', 'Run', {
            commands: `${command}${'x'.repeat(900_000)}`,
            timeout: 0,
            units: Array.from({ length: count }, (_, n) => `app/${n}`),
          }),
      ] as const,
  ),
  [
    'defaults of parameters',
    (count) =>
      callers.call('Action', 'EnqueueOperation', {
        actions: Array.from({ length: count }, (_, n) => ({ receiver: `unit-app-${n}`, name: 'load' })),
      }),
  ],
];

test.each(requests)(
  'the parameters of all tasks of an operation have a limit, which %s counts for each unit',
  async (_, request) => {
    expect(limits.operationParameters.max).toBeLessThan(units * 900_000);
    await request(3);
    const before = callers.view().count('task');
    await expect(request(units)).rejects.toMatchObject({ code: 'quota limit exceeded' });
    expect(callers.view().count('task')).toBe(before);
  },
);

test('the longest command that sets a secret is kept, and is not longer than limits.sealedParameters', async () => {
  const commands = 'secret-add a='.padEnd(limits.taskParameters.max - 100, 'x');
  expect(Buffer.byteLength(commands)).toBeLessThanOrEqual(limits.taskParameters.max);
  await callers.call('Action', 'Run', { commands, timeout: 0, units: ['app/0'] });
  const [task] = callers.view().list('task');
  expect(callers.context.services.sealer.open(task!.sealed!)).toBe(commands);
  expect(task!.sealed!.length).toBeLessThan(limits.sealedParameters.max);
});
