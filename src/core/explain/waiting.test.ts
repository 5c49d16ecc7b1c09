import { describe, expect, test } from 'vitest';
import {
  ago,
  application,
  explainView,
  lines,
  machine,
  relation,
  status,
  unit,
} from '../../testing/explain-view.ts';
import { parseMetadata } from '../charm/metadata.ts';
import type { ApplicationDoc } from '../application/document.ts';
import type { Entities } from '../kinds.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { Missing } from '../requirements/requirement.ts';
import { explain } from './explain.ts';
import type { ExplainView } from './explanation.ts';

const inContainer = { scope: 'container' };
const charm = (name: string, raw: object): Record<string, Partial<Entities['charm']>> => ({
  [name]: { url: name, meta: parseMetadata({ name, ...raw }) },
});
const charms = {
  ...charm('wordpress', { requires: { db: { interface: 'mysql', optional: false } } }),
  ...charm('mysql', { provides: { server: 'mysql' } }),
  ...charm('cluster', {
    requires: { storage: { interface: 'ceph', optional: false } },
    provides: { db: 'mysql' },
  }),
  ...charm('ring', {
    requires: { next: { interface: 'ring', optional: false }, db: 'mysql' },
    provides: { prev: 'ring' },
  }),
  ...charm('spy', { subordinate: true, requires: { dir: { interface: 'logging', ...inContainer } } }),
  ...charm('logging', {
    subordinate: true,
    requires: {
      dir: { interface: 'logging', ...inContainer },
      host: { interface: 'juju-info', ...inContainer },
    },
  }),
};
const waiting = (
  name: string,
  missing: readonly (readonly [endpoint: string, its: string, ...applications: string[]])[],
  more: Partial<ApplicationDoc> = {},
) =>
  application(name, {
    charmUrl: name,
    pending: {
      since: ago(30),
      missing: missing.map(([endpoint, its, ...applications]): Missing => ({
        endpoint,
        interface: its,
        applications,
      })),
    },
    ...more,
  });
const deployed = (name: string, more: Partial<ApplicationDoc> = {}) =>
  application(name, { charmUrl: name, ...more });
const unplaced = (name: string, more: UnitDoc['unplaced'] = {}, rest: Partial<UnitDoc> = {}) => {
  const { machine: _, ...one } = unit(name, '', { deployed: false, ...rest })[name]!;
  return { [name]: { ...one, unplaced: more } };
};
const needsDb = waiting('wordpress', [['db', 'mysql']]);

type Case = readonly [name: string, id: string, view: ExplainView, expected: readonly string[]];

const applications: Case[] = [
  [
    'names relations that could satisfy it, those with pending applications last',
    'wordpress',
    explainView({
      charm: charms,
      application: {
        ...waiting('cluster', [['storage', 'ceph']]),
        ...needsDb,
        ...deployed('mysql'),
        ...deployed('db2', { charmUrl: 'mysql' }),
        ...deployed('gone', { charmUrl: 'mysql', life: 'dying' }),
        ...deployed('logging'),
      },
      unit: unplaced('wordpress/0'),
    }),
    [
      'application wordpress: alive, missing relation: db (mysql)',
      '  requirement db (mysql): no relation satisfies it',
      '> operator application wordpress 30m: relate wordpress:db to an application that provides mysql',
      '$ integrate wordpress:db mysql:server',
      '$ integrate wordpress:db db2:server',
      '$ integrate wordpress:db cluster:db',
    ],
  ],
  [
    'without a suitable relation names the charm to deploy',
    'wordpress',
    explainView({ charm: charms, application: needsDb }),
    [
      'application wordpress: alive, missing relation: db (mysql)',
      '  requirement db (mysql): no relation satisfies it',
      '> operator application wordpress 30m: relate wordpress:db to an application that provides mysql',
      '$ deploy <charm that provides mysql>',
    ],
  ],
  [
    'shows the chain down to the missing relation',
    'wordpress',
    explainView({
      charm: charms,
      application: {
        ...waiting('wordpress', [['db', 'mysql', 'cluster']]),
        ...waiting('cluster', [['storage', 'ceph']]),
      },
    }),
    [
      'application wordpress: alive, waiting for application: cluster (db)',
      '  application cluster: alive, missing relation: storage (ceph)',
      '    requirement storage (ceph): no relation satisfies it',
      '> operator application cluster 30m: relate cluster:storage to an application that provides ceph',
      '$ deploy <charm that provides ceph>',
    ],
  ],
  [
    'in a circle of pending applications says so, and the walk ends',
    'a',
    explainView({
      charm: charms,
      application: {
        ...waiting('a', [['next', 'ring', 'b']], { charmUrl: 'ring' }),
        ...waiting(
          'b',
          [
            ['next', 'ring', 'a'],
            ['db', 'mysql'],
          ],
          { charmUrl: 'ring' },
        ),
      },
    }),
    [
      'application a: alive, waiting for application: b (next)',
      '  application b: alive, missing relation: db (mysql); waiting for application: a (next); a waits for it too: they are deployed together',
      '    application a: above',
      '    requirement db (mysql): no relation satisfies it',
      '> operator application b 30m: relate b:db to an application that provides mysql',
      '$ deploy <charm that provides mysql>',
    ],
  ],
  [
    'that is a subordinate names principals',
    'logging',
    explainView({
      charm: charms,
      application: {
        ...waiting('logging', [['juju-info', 'juju-info']], { subordinate: true }),
        ...deployed('other', { subordinate: true, charmUrl: 'logging' }),
        ...deployed('mysql'),
      },
    }),
    [
      'application logging: alive, missing relation: juju-info (juju-info)',
      '  requirement juju-info (juju-info): it is related to no application that it can run beside',
      '> operator application logging 30m: relate logging to the application beside whose units it is to run',
      '$ integrate logging:host mysql:juju-info',
    ],
  ],
  [
    'with a required container endpoint names no principals that lack it',
    'strict',
    explainView({
      charm: charms,
      application: {
        ...waiting('strict', [['juju-info', 'juju-info']], {
          subordinate: true,
          charmUrl: 'spy',
          require: ['dir'],
        }),
        ...deployed('mysql'),
      },
    }),
    [
      'application strict: alive, missing relation: juju-info (juju-info)',
      '  requirement juju-info (juju-info): it is related to no application that it can run beside',
      '> operator application strict 30m: relate strict to the application beside whose units it is to run',
      '$ deploy <charm>',
    ],
  ],
  [
    'whose relation was removed under running units says that they stay',
    'wordpress',
    explainView({
      charm: charms,
      application: needsDb,
      machine: machine('0'),
      unit: { ...unit('wordpress/0', '0'), ...unplaced('wordpress/1') },
      status: status('workload', 'wordpress/0', 'active'),
    }),
    [
      'application wordpress: alive, its running unit stays; new units wait for relations: db (mysql)',
      '  requirement db (mysql): no relation satisfies it',
      '> operator application wordpress 30m: relate wordpress:db to an application that provides mysql',
      '$ deploy <charm that provides mysql>',
    ],
  ],
  [
    'whose relation was removed under running units shows their problems',
    'wordpress',
    explainView({
      charm: charms,
      application: needsDb,
      machine: machine('0'),
      unit: unit('wordpress/0', '0'),
      status: status('workload', 'wordpress/0', 'blocked', 'no database'),
    }),
    [
      'application wordpress: alive, its unit needs attention; new units wait for relations: db (mysql)',
      '  unit wordpress/0: alive, its charm reports blocked: no database',
      '  requirement db (mysql): no relation satisfies it',
      '> operator unit wordpress/0 1m: do what the message of the charm asks for',
      '> operator application wordpress 30m: relate wordpress:db to an application that provides mysql',
      '$ deploy <charm that provides mysql>',
    ],
  ],
];

const units: Case[] = [
  [
    'waits with its application',
    'wordpress/0',
    explainView({
      charm: charms,
      application: { ...needsDb, ...deployed('mysql') },
      unit: unplaced('wordpress/0'),
    }),
    [
      'unit wordpress/0: alive, it has no machine yet: missing relation: db (mysql)',
      '  application wordpress: alive, missing relation: db (mysql)',
      '    requirement db (mysql): no relation satisfies it',
      '> operator application wordpress 30m: relate wordpress:db to an application that provides mysql',
      '$ integrate wordpress:db mysql:server',
    ],
  ],
  [
    'is about to be placed',
    'mysql/0',
    explainView({ application: deployed('mysql'), unit: unplaced('mysql/0') }),
    [
      'unit mysql/0: alive, it has no machine yet: waiting for machine',
      '> placer unit mysql/0: assigns it a machine',
    ],
  ],
  [
    'cannot be placed',
    'mysql/0',
    explainView({
      application: deployed('mysql'),
      unit: unplaced('mysql/0', { problem: 'machine 5 not found' }),
    }),
    [
      'unit mysql/0: alive, it has no machine yet: cannot be placed: machine 5 not found',
      '> operator unit mysql/0: fix the problem above: it is then placed automatically; or replace it by another unit',
      '$ add-unit mysql --to <machine>',
      '$ remove-unit mysql/0',
    ],
  ],
  [
    'is removed without ever having had a machine',
    'mysql/0',
    explainView({
      application: deployed('mysql'),
      unit: unplaced('mysql/0', {}, { life: 'dying', dyingSince: ago(1) }),
    }),
    ['unit mysql/0: dying, it never had a machine', '> cleaner unit mysql/0: removes the record'],
  ],
];

test.each(applications)('an application %s', (_, id, view, expected) => {
  expect(lines({ kind: 'application', id }, view)).toEqual(expected);
});

test.each(units)('a unit %s', (_, id, view, expected) => {
  expect(lines({ kind: 'unit', id }, view)).toEqual(expected);
});

test('a unit with a pending subordinate takes its machine with it', () => {
  const view = explainView({
    application: { ...deployed('mysql'), ...waiting('logging', [['dir', 'logging']], { subordinate: true }) },
    machine: machine('0'),
    unit: { ...unit('mysql/0', '0'), ...unplaced('logging/0', {}, { principal: 'mysql/0' }) },
    status: status('workload', 'mysql/0', 'active'),
  });
  const told = explain({ kind: 'unit', id: 'mysql/0' }, view).removal?.commands;
  expect(told).toEqual([{ line: 'remove-unit mysql/0', effect: 'stops it and removes machine 0' }]);
});

describe('a unit that cannot be placed', () => {
  test('a unit that cannot be placed is a problem of its application and of its model', () => {
    const view = explainView({
      application: deployed('mysql'),
      unit: unplaced('mysql/0', { problem: 'machine 5 not found' }),
    });
    expect(lines({ kind: 'application', id: 'mysql' }, view)[0]).toBe(
      'application mysql: alive, its unit needs attention',
    );
    expect(lines({ kind: 'model', id: 'u' }, view)[0]).toBe('model default: alive, 1 problem in it');
  });
});

test('a model shows each pending application once', () => {
  const view = explainView({
    charm: charms,
    application: {
      ...waiting('cluster', [['storage', 'ceph']]),
      ...waiting('wordpress', [['db', 'mysql', 'cluster']]),
    },
  });
  expect(lines({ kind: 'model', id: 'u' }, view)).toEqual([
    'model default: alive, 2 problems in it',
    '  application cluster: alive, missing relation: storage (ceph)',
    '    requirement storage (ceph): no relation satisfies it',
    '  application wordpress: alive, waiting for application: cluster (db)',
    '    application cluster: above',
    '> operator application cluster 30m: relate cluster:storage to an application that provides ceph',
    '$ deploy <charm that provides ceph>',
  ]);
});

test('a relation between pending applications has no problems', () => {
  const view = explainView({ application: needsDb, relation: relation(1, 'wordpress:db mysql:server') });
  expect(lines({ kind: 'relation', id: '1' }, view)[0]).toBe(
    'relation wordpress:db mysql:server: alive, no problems found; 0 units are in its scope',
  );
});

test('a very long chain of pending applications shows its beginning and its end', () => {
  const links = Array.from({ length: 20_000 }, (_, i) =>
    waiting(`a${i}`, i < 900 ? [['next', 'ring', `a${i + 1}`]] : [['next', 'ring']], { charmUrl: 'ring' }),
  );
  const view = explainView({
    charm: charms,
    application: Object.assign({}, ...links) as Record<string, ApplicationDoc>,
  });
  const told = lines({ kind: 'application', id: 'a0' }, view);
  expect(told.length).toBeLessThan(60);
  expect(told.slice(-6, -3).map((line) => line.trim())).toEqual([
    'application a900: alive, missing relation: next (ring)',
    'requirement next (ring): no relation satisfies it',
    '> operator application a900 30m: relate a900:next to an application that provides ring',
  ]);
});
