/** Explanations mention every actor that must act and everything that was not examined. */
import { describe, expect, test } from 'vitest';
import {
  application,
  explainView,
  hookFailed,
  lines,
  machine,
  relation,
  unit,
} from '../../testing/explain-view.ts';
import type { UnitDoc } from '../unit/document.ts';
import { explain } from './explain.ts';
import { defined } from '../defined.ts';

describe('a subordinate without units', () => {
  const documents = {
    application: {
      ...application('log', { subordinate: true }),
      ...application('mysql'),
      ...application('web'),
      ...application('empty'),
    },
    relation: {
      ...relation(0, 'log:info empty:juju-info', {}, 'container'),
      ...relation(1, 'log:info mysql:juju-info', {}, 'container'),
      ...relation(2, 'log:info web:juju-info', {}, 'container'),
    },
    machine: { ...machine('0'), ...machine('1') },
    unit: { ...unit('mysql/0', '0'), ...unit('web/0', '1') },
    status: { ...hookFailed('mysql/0', 'install'), ...hookFailed('web/0', 'install') },
  };

  test('a subordinate without units waits for the units of each of its principals', () => {
    const told = lines({ kind: 'application', id: 'log' }, explainView(documents));
    expect(told).toEqual(
      expect.arrayContaining([
        'application log: alive, it has no units yet: they come with the 2 units of mysql and web',
        '  unit mysql/0: alive, hook failed: "install"',
        '  unit web/0: alive, hook failed: "install"',
      ]),
    );
  });

  test('a subordinate without units names its first ten principals and counts the others', () => {
    const names = Array.from({ length: 12 }, (_, n) => `app${n}`);
    const view = explainView({
      application: Object.assign({}, documents.application, ...names.map((name) => application(name))),
      relation: Object.assign(
        {},
        ...names.map((name, n) => relation(n, `log:info ${name}:juju-info`, {}, 'container')),
      ),
      unit: Object.assign({}, ...names.map((name) => unit(`${name}/0`, '0'))),
    });
    expect(explain({ kind: 'application', id: 'log' }, view).text).toBe(
      'it has no units yet: they come with the 12 units of app0, app1, app2, app3, app4, app5, app6, app7, app8, app9 and 2 more',
    );
  });
});

describe('a model too large to be examined completely', () => {
  const units = (name: string, count: number): Record<string, Partial<UnitDoc>> =>
    Object.assign({}, ...Array.from({ length: count }, (_, n) => unit(`${name}/${n}`, '0')));
  const large = {
    application: { ...application('mysql'), ...application('web') },
    machine: Object.assign({}, ...Array.from({ length: 1_003 }, (_, n) => machine(String(n)))),
    unit: { ...units('mysql', 1_200), ...units('web', 800) },
  };
  const text = (view: ReturnType<typeof explainView>): string =>
    explain({ kind: 'model', id: 'u' }, view).text;

  test('a model without problems says how much was not examined', () => {
    expect(text(explainView(large))).toBe(
      'no problems found; it has 2 applications, 2,000 units and 1,003 machines, of which 1,000 units and 3 machines were not looked at',
    );
  });

  test('a model with problems says how much was not examined', () => {
    const view = explainView({ ...large, status: hookFailed('mysql/0') });
    expect(text(view)).toBe('1 problem in it; 1,000 units and 3 machines were not looked at');
  });

  test('a model that was examined completely says nothing about unexamined parts', () => {
    const view = explainView({ ...large, machine: machine('0'), unit: units('mysql', 1_000) });
    expect(text(view)).toBe('no problems found; it has 2 applications, 1,000 units and 1 machine');
  });
});

describe('a unit of a pending application', () => {
  const { machine: _, ...waits } = unit('shop/0', '', { deployed: false })['shop/0']!;
  const told = (machines: Parameters<typeof explainView>[0]['machine'], placement: object): string[] =>
    lines(
      { kind: 'unit', id: 'shop/0' },
      explainView({
        application: application('shop', {
          base: { name: 'ubuntu', channel: '24.04/stable' },
          pending: { since: '', missing: [{ endpoint: 'db', interface: 'mysql', applications: [] }] },
        }),
        ...defined({ machine: machines }),
        unit: { 'shop/0': { ...waits, unplaced: { placement } as NonNullable<UnitDoc['unplaced']> } },
      }),
    );

  test('a unit of a pending application says when its placement’s machine is gone', () => {
    expect(told({}, { scope: '#', directive: '5' })).toEqual(
      expect.arrayContaining([
        'unit shop/0: alive, it has no machine yet: missing relation: db (mysql); it cannot be placed then: machine 5 not found',
        '$ add-unit shop --to <machine>',
        '$ remove-unit shop/0',
      ]),
    );
    expect(told({}, { scope: 'lxd', directive: '5' })[0]).toContain('machine 5 not found');
  });

  test('a unit of a pending application says nothing when its placement’s machine exists, or it has no placement', () => {
    const [first, ...others] = [
      told(machine('5', { base: { name: 'ubuntu', channel: '24.04/stable' } }), {
        scope: '#',
        directive: '5',
      }),
      told({}, { scope: 'lxd', directive: '' }),
      told({}, { scope: 'u', directive: 'zone=a' }),
    ];
    expect(first![0]).toBe('unit shop/0: alive, it has no machine yet: missing relation: db (mysql)');
    for (const other of others) expect(other).toEqual(first);
  });
});
