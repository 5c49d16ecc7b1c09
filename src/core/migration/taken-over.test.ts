import { expect, test } from 'vitest';
import { isTakenOver } from './taken-over.ts';

const instance = { id: 'i', displayName: '', hardware: {}, isolation: '' };

test.each([
  ['a machine that its provider has made', { id: '0', instance }, true],
  ['a machine without an instance', { id: '0' }, false],
  ['a host that no provider has made', { id: '0', instance: { ...instance, unmanaged: true } }, false],
  ['a container', { id: '0/lxd/1', instance }, false],
])('The target takes over or leaves %s', (_, machine, expected) => {
  expect(isTakenOver(machine)).toBe(expected);
});
