import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { statusId } from '../../../core/status.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { controllerStarted } from './controller-started.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.call('MachineManager', 'AddMachines', { params: [{ jobs: ['JobHostUnits'] }] });
  // The model of the test stands for the controller's.
  await callers.change((tx) => {
    const root = tx.in('');
    root.put('controller', 'self', { ...root.get('controller', 'self')!, modelUuid: callers.model });
    tx.put('machine', '0', { ...tx.get('machine', '0')!, isController: true });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJRxhq5nqA0bX5rO6x0uP4v6pT4tV1bB4Yb2WJm4nX3M';
const start = (...keys: string[]): Promise<void> =>
  callers.change((tx) => controllerStarted(tx.in(''), keys));

test('the controller reports the host keys of its own machine', async () => {
  const stored = (): readonly string[] | undefined => callers.view().get('machine', '0')!.hostKeys;
  await start(`${key} root@host`, 'rubbish');
  expect(stored()).toEqual([key]);
  const { revision } = callers.view();
  await start(key);
  expect(callers.view().revision).toBe(revision);
  await start();
  expect(stored()).toEqual([]);
});

test('the status of its machine says which program of the controller did not come up, until one has', async () => {
  const message = (): string | undefined =>
    callers.view().get('status', statusId('machine-agent', '0'))?.message;
  const failed = { build: 'b'.repeat(64), message: 'it ended' };
  await callers.change((tx) => controllerStarted(tx.in(''), [], failed));
  expect(message()).toBe(
    'the controller went back from program bbbbbbbbbbbb, which did not come up: it ended',
  );
  const { revision } = callers.view();
  await callers.change((tx) => controllerStarted(tx.in(''), [], failed));
  expect(callers.view().revision).toBe(revision);
  await start();
  expect(message()).toBe('');
});

test('the controller refuses more host keys of its machine than any machine may have', async () => {
  const many = Array.from({ length: limits.hostKeys.max + 1 }, () => key);
  await expect(start(...many)).rejects.toMatchObject({ code: 'quota limit exceeded' });
});
