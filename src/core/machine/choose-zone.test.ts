import { describe, expect, test } from 'vitest';
import { chooseZone, zoneConflict, zoneRequest, type ZoneView, type ZoneRequest } from './choose-zone.ts';
import { defined } from '../defined.ts';

const zone = (name: string, more: Partial<ZoneView> = {}): ZoneView => ({
  name,
  available: true,
  group: 0,
  all: 0,
  ...more,
});
const wishes = (more: Partial<ZoneRequest> = {}): ZoneRequest => ({ constraints: {}, ...more });

test.each<{ name: string; zones: ZoneView[]; wishes: ZoneRequest; chosen: string | undefined }>([
  {
    name: 'the least populated zone of the group comes first',
    zones: [zone('a', { group: 2 }), zone('b', { group: 1, all: 9 }), zone('c', { group: 2 })],
    wishes: wishes(),
    chosen: 'b',
  },
  {
    name: 'among zones equal for the group the one with the fewest machines comes first',
    zones: [zone('a', { all: 3 }), zone('b', { all: 2 })],
    wishes: wishes(),
    chosen: 'b',
  },
  { name: "then the provider's order", zones: [zone('b'), zone('a')], wishes: wishes(), chosen: 'b' },
  {
    name: 'only healthy zones are chosen',
    zones: [zone('a', { available: false }), zone('b', { group: 5 })],
    wishes: wishes(),
    chosen: 'b',
  },
  {
    name: 'each zone is tried in turn when a start fails for a zonal reason',
    zones: [zone('a'), zone('b', { group: 5 })],
    wishes: wishes({ failed: ['a'] }),
    chosen: 'b',
  },
  { name: 'until none is left', zones: [zone('a')], wishes: wishes({ failed: ['a'] }), chosen: undefined },
  {
    name: 'the zones constraint is respected',
    zones: [zone('a'), zone('b', { group: 5 }), zone('c', { group: 4 })],
    wishes: wishes({ constraints: { zones: ['b', 'c'] } }),
    chosen: 'c',
  },
  {
    name: 'an empty zones constraint allows all',
    zones: [zone('a'), zone('b')],
    wishes: wishes({ constraints: { zones: [] } }),
    chosen: 'a',
  },
  {
    name: 'a zone= placement is respected',
    zones: [zone('a'), zone('b', { group: 5 })],
    wishes: wishes({ placed: 'b' }),
    chosen: 'b',
  },
  {
    name: 'the zones constraint and a zone= placement are both respected',
    zones: [zone('a'), zone('b')],
    wishes: wishes({ placed: 'a', constraints: { zones: ['b'] } }),
    chosen: undefined,
  },
])('$name', ({ zones, wishes: of, chosen }) => {
  expect(chooseZone(zones, of)).toBe(chosen);
});

describe('zoneConflict says why no zone of the cloud can ever suit the machine', () => {
  const zones = [zone('a'), zone('b', { available: false })];
  test.each<[ZoneRequest, string | undefined]>([
    [wishes(), undefined],
    [wishes({ placed: 'b' }), undefined],
    [wishes({ placed: 'z' }), 'zone "z" is not in this cloud, which has a, b'],
    [
      wishes({ placed: 'a', constraints: { zones: ['b'] } }),
      'placement zone=a is not among constraint zones=b',
    ],
    [wishes({ constraints: { zones: ['y', 'z'] } }), 'no zone of zones=y,z is in this cloud, which has a, b'],
  ])('zoneConflict answers for the request %j', (of, said) => {
    expect(zoneConflict(zones, of)).toBe(said);
  });
  test('a cloud without zones never conflicts', () => {
    expect(zoneConflict([], wishes({ placed: 'a' }))).toBeUndefined();
  });
});

test.each([
  ['zone=a', 'a'],
  ['subnet=10.0.0.0/8', undefined],
])('the placement %s names the zone %s', (directive, placed) => {
  const machine = { constraints: {}, placement: { scope: 'model', directive }, failedZones: ['b'] };
  expect(zoneRequest(machine)).toEqual({
    constraints: {},
    failed: ['b'],
    ...defined({ placed: placed || undefined }),
  });
});
