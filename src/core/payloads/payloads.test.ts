import { describe, expect, test } from 'vitest';
import type { Payload } from './document.ts';
import { changedPayloads, payloadFilter, type PayloadChange, type PlacedPayload } from './payloads.ts';

const web: Payload = { class: 'web', id: 'c1', type: 'docker', labels: ['blue'], status: 'running' };
const stopped: Payload = { ...web, status: 'stopped' };

test.each<[string, Record<string, Payload>, PayloadChange, Record<string, Payload>]>([
  ['a new one runs', {}, { kind: 'register', type: 'docker', labels: ['blue'] }, { 'web/c1': web }],
  [
    'one that is registered again is replaced',
    { 'web/c1': stopped },
    { kind: 'register', type: 'kvm', labels: [] },
    { 'web/c1': { ...web, type: 'kvm', labels: [] } },
  ],
  ['a status is set', { 'web/c1': web }, { kind: 'set status', status: 'stopped' }, { 'web/c1': stopped }],
  ['one is forgotten', { 'web/c1': web, 'web/c2': web }, { kind: 'unregister' }, { 'web/c2': web }],
  ['an unknown one is not missed', { 'web/c2': web }, { kind: 'unregister' }, { 'web/c2': web }],
])('a change of payloads: %s', (_, before, change, after) => {
  expect(changedPayloads(before, { class: 'web', id: 'c1', change })).toEqual(after);
});

test('the status of an unknown payload is refused', () => {
  expect(() =>
    changedPayloads({}, { class: 'web', id: 'c1', change: { kind: 'set status', status: 'stopped' } }),
  ).toThrow('payload "web/c1" not found');
});

describe('payloadFilter', () => {
  const placed: PlacedPayload = { ...web, unit: 'a/0', machine: '3' };
  test.each<[string[], boolean]>([
    [[], true],
    [['a/0'], true],
    [['3'], true],
    [['DOCKER'], true],
    [['web'], true],
    [['c1'], true],
    [['running'], true],
    [['blue'], true],
    [['red', 'blue'], true],
    [['a'], false],
    [['stopped', 'a/1'], false],
  ])('payloadFilter selects by %j: %s', (patterns, passes) => {
    expect(payloadFilter(patterns)(placed)).toBe(passes);
  });
});
