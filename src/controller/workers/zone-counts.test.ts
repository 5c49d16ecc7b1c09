import { describe, expect, test } from 'vitest';
import { chooseZone } from '../../core/machine/choose-zone.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { UnitDoc } from '../../core/unit/document.ts';
import fc from '../../testing/fast-check.ts';
import { ZoneCounts } from './zone-counts.ts';

const machine = (id: string, overrides: Partial<MachineDoc> = {}): MachineDoc => ({
  id,
  life: 'alive',
  base: { name: 'ubuntu', channel: '24.04/stable' },
  constraints: {},
  addresses: [],
  hostname: '',
  removeWhenEmpty: true,
  clean: false,
  keepInstance: false,
  isController: false,
  createdAt: '',
  ...overrides,
});
const unit = (name: string, on: string, overrides: Partial<UnitDoc> = {}): UnitDoc => ({
  name,
  application: name.split('/')[0]!,
  life: 'alive',
  machine: on,
  charmUrl: '',
  base: { name: 'ubuntu', channel: '24.04/stable' },
  constraints: {},
  resolved: '',
  ports: {},
  workloadVersion: '',
  deployed: false,
  createdAt: '',
  ...overrides,
});

/** Counts of a model with these units, to which a test may add others. */
function counts(machines: readonly MachineDoc[], units: readonly UnitDoc[] = []): ZoneCounts {
  const zoneCounts = new ZoneCounts((id) => units.filter(({ machine }) => machine === id));
  for (const one of machines) zoneCounts.machineChanged(undefined, one);
  for (const one of units) zoneCounts.unitChanged(undefined, one);
  return zoneCounts;
}

describe('the distribution group', () => {
  const placed = [
    machine('0', { zone: 'a', isController: true }),
    machine('1', { zone: 'a' }),
    machine('2', { zone: 'a' }),
    machine('3', { zone: 'b' }),
  ];
  const units = [unit('db/0', '1'), unit('web/0', '2'), unit('web/1', '3'), unit('db/1', '3')];

  test.each<[string, MachineDoc, UnitDoc[], { group: number; all: number }]>([
    ['controllers are one', machine('9', { isController: true }), [], { group: 1, all: 3 }],
    [
      'others are grouped by the application of their unit',
      machine('9'),
      [unit('db/9', '9')],
      { group: 1, all: 3 },
    ],
    ['by the sum for several', machine('9'), [unit('db/9', '9'), unit('web/9', '9')], { group: 2, all: 3 }],
    [
      'subordinates say nothing of it',
      machine('9'),
      [unit('db/9', '9'), unit('web/9', '9', { principal: 'db/9' })],
      { group: 1, all: 3 },
    ],
    ['a machine without units: all machines', machine('9'), [], { group: 3, all: 3 }],
    [
      'containers are where their hosts are',
      machine('1/lxd/0', { parent: '1', zone: 'a' }),
      [],
      { group: 3, all: 3 },
    ],
  ])('%s', (_name, one, its, around) => {
    expect(counts([...placed, one], [...units, ...its]).othersInZone(one.id, 'a')).toEqual(around);
  });

  test('a machine is not counted in its own group', () => {
    expect(counts(placed, units).othersInZone('1', 'a')).toEqual({ group: 0, all: 2 });
  });

  test('a reserved zone counts before the record has it, and once when the record does', () => {
    const zoneCounts = counts(placed, [...units, unit('db/9', '9')]);
    zoneCounts.reserve('9', 'a');
    expect(zoneCounts.othersInZone('1', 'a')).toEqual({ group: 1, all: 3 });
    zoneCounts.machineChanged(machine('9'), machine('9', { zone: 'a' }));
    zoneCounts.reserve('9', undefined);
    expect(zoneCounts.othersInZone('1', 'a')).toEqual({ group: 1, all: 3 });
    zoneCounts.machineChanged(machine('9', { zone: 'a' }), machine('9', { zone: 'b' }));
    expect(zoneCounts.othersInZone('1', 'a')).toEqual({ group: 0, all: 2 });
  });

  test('a removed machine is not counted', () => {
    const zoneCounts = counts(placed, [...units, unit('web/9', '9')]);
    zoneCounts.unitChanged(unit('web/0', '2'), undefined);
    zoneCounts.machineChanged(placed[2], undefined);
    expect(zoneCounts.othersInZone('9', 'a')).toEqual({ group: 0, all: 2 });
    expect(zoneCounts.othersInZone('9', 'b')).toEqual({ group: 1, all: 1 });
  });

  test('a unit that is reported after its machine was counted with it counts once', () => {
    const zoneCounts = counts([], [unit('db/0', '1')]);
    zoneCounts.machineChanged(undefined, machine('1', { zone: 'a' }));
    zoneCounts.unitChanged(undefined, unit('db/0', '1'));
    zoneCounts.unitChanged(undefined, unit('db/1', '1'));
    const others = (): number => zoneCounts.othersInZone('2', 'a').group;
    expect(others()).toBe(1);
    const ofGroup = counts([machine('1', { zone: 'a' })], [unit('db/0', '1'), unit('db/9', '9')]);
    expect(ofGroup.othersInZone('9', 'a')).toEqual({ group: 1, all: 1 });
    ofGroup.unitChanged(unit('db/0', '1'), undefined);
    expect(ofGroup.othersInZone('9', 'a')).toEqual({ group: 0, all: 1 });
  });
});

type Act =
  | { readonly do: 'add'; readonly application: string }
  | { readonly do: 'remove'; readonly nth: number }
  | { readonly do: 'fail' | 'mend'; readonly zone: string };

const zones = ['a', 'b', 'c', 'd'];

/**
 * Starts the machines of a model, one unit each, and reports the zone of each. `fail`: the zone is unhealthy from then
 * on, or starts in it fail, which each machine then remembers: both have the same effect on the choice.
 */
function play(
  acts: readonly Act[],
  onStart: (start: {
    zone: string;
    usable: readonly string[];
    of: (zone: string) => number;
    application: string;
  }) => void,
): {
  readonly failed: ReadonlySet<string>;
  readonly machines: readonly { readonly application: string; readonly zone: string }[];
} {
  const units = new Map<string, UnitDoc>();
  const zoneCounts = new ZoneCounts((id) => (units.has(id) ? [units.get(id)!] : []));
  const down = new Set<string>();
  const failed = new Set<string>();
  const machines: { id: string; application: string; zone: string }[] = [];
  let next = 0;
  for (const act of acts) {
    if (act.do === 'fail') {
      down.add(act.zone);
      failed.add(act.zone);
    }
    if (act.do === 'mend') down.delete(act.zone);
    if (act.do === 'remove' && machines.length > 0) {
      const [gone] = machines.splice(act.nth % machines.length, 1);
      zoneCounts.unitChanged(units.get(gone!.id), undefined);
      units.delete(gone!.id);
      zoneCounts.machineChanged(machine(gone!.id, { zone: gone!.zone }), undefined);
    }
    if (act.do !== 'add') continue;
    const id = String(next++);
    const { application } = act;
    zoneCounts.machineChanged(undefined, machine(id));
    units.set(id, unit(`${application}/${id}`, id));
    zoneCounts.unitChanged(undefined, units.get(id));
    const views = zones.map((name) => ({
      name,
      available: !down.has(name),
      ...zoneCounts.othersInZone(id, name),
    }));
    const zone = chooseZone(views, { constraints: {} });
    if (zone === undefined) continue;
    const of = (name: string): number =>
      machines.filter((one) => one.application === application && one.zone === name).length;
    onStart({ zone, usable: zones.filter((name) => !down.has(name)), of, application });
    zoneCounts.reserve(id, zone);
    zoneCounts.machineChanged(machine(id), machine(id, { zone }));
    zoneCounts.reserve(id, undefined);
    machines.push({ id, application, zone });
  }
  return { failed, machines };
}

const add: fc.Arbitrary<Act> = fc.record({
  do: fc.constant('add'),
  application: fc.constantFrom('db', 'web'),
});
const health: fc.Arbitrary<Act> = fc.record({
  do: fc.constantFrom('fail', 'mend'),
  zone: fc.constantFrom(...zones),
});
const remove: fc.Arbitrary<Act> = fc.record({ do: fc.constant('remove'), nth: fc.nat(50) });

test('each start goes to a usable zone with the fewest machines of the group, whatever is added, removed and fails', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 4, arbitrary: add }, health, remove), { maxLength: 60 }),
      (acts) => {
        play(acts, ({ zone, usable, of }) => {
          expect(usable).toContain(zone);
          expect(of(zone)).toBe(Math.min(...usable.map(of)));
        });
      },
    ),
  );
});

test('a group without removals differs by at most one between zones that were always usable', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 6, arbitrary: add }, health), { maxLength: 80 }), (acts) => {
      const { failed, machines } = play(acts, () => undefined);
      const steady = zones.filter((name) => !failed.has(name));
      for (const application of ['db', 'web']) {
        const numbers = steady.map(
          (name) => machines.filter((one) => one.application === application && one.zone === name).length,
        );
        if (numbers.length > 0) expect(Math.max(...numbers) - Math.min(...numbers)).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('a choice among 10,000 machines costs the zones: counts are looked up, not counted', () => {
  const zoneCounts = new ZoneCounts((id) => [unit(`db/${id}`, id)]);
  for (let n = 0; n < 10_000; n++) {
    zoneCounts.machineChanged(undefined, machine(String(n), { zone: zones[n % 4]! }));
    zoneCounts.unitChanged(undefined, unit(`db/${n}`, String(n)));
  }
  zoneCounts.unitChanged(undefined, unit('db/10000', '10000'));
  expect(zones.map((name) => zoneCounts.othersInZone('10000', name))).toEqual(
    zones.map(() => ({ group: 2_500, all: 2_500 })),
  );
});
