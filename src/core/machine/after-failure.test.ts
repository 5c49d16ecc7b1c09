import { expect, test } from 'vitest';
import { afterFailure, type NextStart } from './after-failure.ts';

const zones = { usable: ['a', 'b', 'c'], failed: [] };

test.each<{ name: string; failure: Parameters<typeof afterFailure>[0]; next: NextStart }>([
  {
    name: 'a transient failure is retried after a while',
    failure: { class: 'transient', ...zones, zone: 'a' },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'a transient failure keeps the zones in which the machine failed before',
    failure: { class: 'transient', ...zones, failed: ['a'], zone: 'b' },
    next: { kind: 'later', failedZones: ['a'] },
  },
  {
    name: 'a zonal failure is retried at once in the next zone',
    failure: { class: 'zonal', ...zones, zone: 'a' },
    next: { kind: 'again', failedZones: ['a'] },
  },
  {
    name: 'a zonal failure tries each zone in turn',
    failure: { class: 'zonal', ...zones, failed: ['a'], zone: 'b' },
    next: { kind: 'again', failedZones: ['a', 'b'] },
  },
  {
    name: 'a zonal failure starts a new round after a while when each zone was tried',
    failure: { class: 'zonal', ...zones, failed: ['a', 'b'], zone: 'c' },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'a zonal failure skips a zone that the machine may not be in',
    failure: { class: 'zonal', usable: ['a'], failed: [], zone: 'a' },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'a zonal failure ignores failed zones that the machine may no longer be in',
    failure: { class: 'zonal', usable: ['b', 'c'], failed: ['a'], zone: 'b' },
    next: { kind: 'again', failedZones: ['a', 'b'] },
  },
  {
    name: 'a zonal failure without a requested zone is retried after a while',
    failure: { class: 'zonal', usable: [], failed: [] },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'a zonal failure starts a new round when all zones that could be requested have failed',
    failure: { class: 'zonal', usable: ['a'], failed: ['a'] },
    next: { kind: 'later', failedZones: [] },
  },
  { name: 'quota: stop', failure: { class: 'quota', ...zones, zone: 'a' }, next: { kind: 'suspended' } },
  {
    name: 'a credential failure suspends the start',
    failure: { class: 'credential', ...zones, zone: 'a' },
    next: { kind: 'suspended' },
  },
  {
    name: 'a bad request is not retried until it is repaired',
    failure: { class: 'bad request', ...zones, zone: 'a' },
    next: { kind: 'never' },
  },
  {
    name: 'an instance that ran before is always retried',
    failure: { class: 'bad request', ...zones, zone: 'a', ran: true },
    next: { kind: 'later', failedZones: [] },
  },
  {
    name: 'an instance that ran before is not tried in another zone',
    failure: { class: 'zonal', ...zones, zone: 'a', ran: true },
    next: { kind: 'later', failedZones: [] },
  },
])('$name', ({ failure, next }) => {
  expect(afterFailure(failure)).toEqual(next);
});
