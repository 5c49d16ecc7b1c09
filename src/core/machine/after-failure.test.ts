import { expect, test } from 'vitest';
import { afterFailure, type NextStart } from './after-failure.ts';

const zones = { usable: ['a', 'b', 'c'], failed: [] };

test.each<{ name: string; failure: Parameters<typeof afterFailure>[0]; next: NextStart }>([
  {
    name: 'transient: retried after a while',
    failure: { class: 'transient', ...zones, zone: 'a' },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'and the zones where it failed before are remembered for that machine',
    failure: { class: 'transient', ...zones, failed: ['a'], zone: 'b' },
    next: { kind: 'later', failedZones: ['a'] },
  },
  {
    name: 'zonal: next zone, at once',
    failure: { class: 'zonal', ...zones, zone: 'a' },
    next: { kind: 'again', failedZones: ['a'] },
  },
  {
    name: 'each zone in turn',
    failure: { class: 'zonal', ...zones, failed: ['a'], zone: 'b' },
    next: { kind: 'again', failedZones: ['a', 'b'] },
  },
  {
    name: 'when each was tried, all are tried anew after a while',
    failure: { class: 'zonal', ...zones, failed: ['a', 'b'], zone: 'c' },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'a zone that it may not be in is no next zone',
    failure: { class: 'zonal', usable: ['a'], failed: [], zone: 'a' },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'where it failed before, but may not be any more, counts for nothing',
    failure: { class: 'zonal', usable: ['b', 'c'], failed: ['a'], zone: 'b' },
    next: { kind: 'again', failedZones: ['a', 'b'] },
  },
  {
    name: 'none could be asked for now: after a while',
    failure: { class: 'zonal', usable: [], failed: [] },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'all that could be asked for have failed already: anew after a while',
    failure: { class: 'zonal', usable: ['a'], failed: ['a'] },
    next: { kind: 'later', failedZones: [] },
  },
  { name: 'quota: stop', failure: { class: 'quota', ...zones, zone: 'a' }, next: { kind: 'suspended' } },
  {
    name: 'credentials: stop',
    failure: { class: 'credential', ...zones, zone: 'a' },
    next: { kind: 'suspended' },
  },
  {
    name: 'bad request: stop at once, until somebody repairs it',
    failure: { class: 'bad request', ...zones, zone: 'a' },
    next: { kind: 'never' },
  },
  {
    name: 'what ran before is never given up',
    failure: { class: 'bad request', ...zones, zone: 'a', ran: true },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'nor is it tried in another zone than the one it is in',
    failure: { class: 'zonal', ...zones, zone: 'a', ran: true },
    next: { kind: 'later', failedZones: [] },
  },
])('$name', ({ failure, next }) => {
  expect(afterFailure(failure)).toEqual(next);
});
