import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';
import { mustGet } from './tx.ts';

let callers: Callers;
beforeEach(async () => void (callers = await createCallers()));
afterEach(() => callers[Symbol.asyncDispose]());

const refusal = (kind: 'application' | 'machine' | 'unit', id: string): string => {
  try {
    return JSON.stringify(mustGet(callers.view(), kind, id));
  } catch (error) {
    return (error as Error).message;
  }
};

test('an entity that does not exist is named', () => {
  expect(refusal('application', 'controller')).toBe('application "controller" not found');
  expect(refusal('unit', 'web/0')).toBe('unit "web/0" not found');
  expect(refusal('machine', '7')).toBe('machine 7 not found');
});

test('a caller who asks for the application that Juju has in the model of the controller is told what to use', async () => {
  await callers.change((tx) => {
    const root = tx.in('');
    root.put('controller', 'self', { ...root.get('controller', 'self')!, modelUuid: callers.model });
  });
  const advice = 'no charm runs this controller, whose settings are those of controller-config';
  expect(refusal('application', 'controller')).toBe(`application "controller" not found: ${advice}`);
  expect(refusal('unit', 'controller/0')).toBe(`unit "controller/0" not found: ${advice}`);
  expect(refusal('application', 'web')).toBe('application "web" not found');
  expect(refusal('machine', 'controller')).toBe('machine controller not found');
});
