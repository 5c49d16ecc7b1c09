/** What explain says of applications, and how much of large ones it examines. */
import { offerDoc, useOf } from '../../testing/offers.ts';
import { describe, expect, test } from 'vitest';
import {
  application,
  dying,
  explainView,
  hookFailed,
  inScope,
  lines,
  machine,
  relation,
  status,
  unit,
} from '../../testing/explain-view.ts';
import { explain } from './explain.ts';
import { type Case, ref, noRetry } from '../../testing/explain-cases.ts';

const db = offerDoc('db', 'mysql');
const wide = {
  application: { ...application('mysql', dying(5)), ...application('wordpress') },
  relation: {
    ...relation(1, 'wordpress:db mysql:server', dying(5)),
    ...relation(2, 'mysql:cluster'),
  },
  machine: { ...machine('0'), ...machine('1') },
};

const applications: Case[] = [
  [
    'that is dying waits for its units, those with trouble first, and for relations that others are in',
    'application mysql',
    explainView(
      {
        ...wide,
        unit: {
          ...unit('mysql/0', '0', dying(5)),
          ...unit('mysql/1', '1', dying(5)),
          ...unit('wordpress/0', '1'),
        },
        scope: { ...inScope(1, 'mysql/0', 'mysql/1', 'wordpress/0'), ...inScope(2, 'mysql/0', 'mysql/1') },
        status: {
          ...hookFailed('mysql/1', 'db-relation-broken'),
          ...status(
            'unit-agent',
            'wordpress/0',
            'executing',
            'running db-relation-departed hook for mysql/0',
          ),
        },
      },
      noRetry,
    ),
    [
      'application mysql: dying, waits for 2 units and 1 relation',
      '  unit mysql/1: dying, hook failed: "db-relation-broken"',
      '    relation wordpress:db mysql:server: dying, to be left',
      '    relation mysql:cluster: alive, to be left',
      '  unit mysql/0: dying, its agent leaves 2 relations, stops the charm and reports its end',
      '    relation wordpress:db mysql:server: dying, to be left',
      '    relation mysql:cluster: alive, to be left',
      '  relation wordpress:db mysql:server: dying, 3 units are in its scope',
      '    unit mysql/1: above',
      '    unit mysql/0: above',
      '    unit wordpress/0: alive, its agent is running db-relation-departed hook for mysql/0',
      '> operator unit mysql/1 3m: fix what makes hook db-relation-broken fail',
      '$ resolved mysql/1',
      '$ resolved mysql/1 --no-retry',
      '$ debug-log --include mysql/1 --lines 50 --no-tail',
      '> agent unit mysql/0 5m: leaves 2 relations, stops the charm and reports its end',
      '> agent unit wordpress/0 1m: runs db-relation-departed hook for mysql/0',
    ],
  ],
  [
    'that is dying without units waits for another application’s unit in its relation',
    'application mysql',
    explainView(
      {
        ...wide,
        unit: unit('wordpress/0', '1'),
        scope: inScope(1, 'wordpress/0'),
        status: status('instance', '1', 'stopped'),
      },
      { absent: { 1: 3 } },
    ),
    [
      'application mysql: dying, waits for 1 relation',
      '  relation wordpress:db mysql:server: dying, 1 unit is in its scope',
      '    unit wordpress/0: alive, its agent is lost with that of machine 1',
      '      machine 1: alive, its agent has no connection; instance i-1 is stopped',
      '> operator machine 1 3m: make sure that the machine runs and reaches the controller, or remove it',
      '$ remove-machine 1 --force',
      '> operator unit wordpress/0 3m: reconnect the agent, or force the removal of the relation',
      '$ remove-relation 1 --force',
    ],
  ],
  [
    'that nothing refers to is removed next',
    'application mysql',
    explainView({ application: application('mysql', dying(1)) }),
    [
      'application mysql: dying, nothing refers to it any more',
      '> cleaner application mysql: removes the record',
    ],
  ],
  [
    'that is dying waits for what uses it through an offer',
    'application mysql',
    explainView({
      application: application('mysql', dying(1)),
      offer: { db },
      relation: { 4: useOf(db, 4).relation },
    }),
    [
      'application mysql: dying, waits for 1 offer',
      '  offer: application "mysql" is used through offer "db"',
    ],
  ],
  [
    'that is alive shows which units need attention',
    'application mysql',
    explainView(
      {
        application: application('mysql'),
        unit: { ...unit('mysql/0', '0'), ...unit('mysql/1', '1') },
        machine: { ...machine('0'), ...machine('1') },
        status: status('workload', 'mysql/0', 'active'),
      },
      { absent: { 1: 2 } },
    ),
    [
      'application mysql: alive, 1 of its 2 units needs attention',
      '  unit mysql/1: alive, its agent is lost with that of machine 1',
      '    machine 1: alive, its agent has no connection; instance i-1 is pending',
      '> operator machine 1 2m: make sure that the machine runs and reaches the controller, or remove it',
      '$ remove-machine 1 --force',
    ],
  ],
  [
    'without units shows how to add one',
    'application log',
    explainView({ application: application('log', { subordinate: true }) }),
    [
      'application log: alive, it has no units',
      '> operator application log: add a unit, or remove the application',
      '$ integrate log <application>',
      '$ remove-application log',
    ],
  ],
  [
    'that is subordinate gets its first unit with one of its principal',
    'application log',
    explainView({
      application: application('log', { subordinate: true }),
      relation: relation(1, 'log:info mysql:juju-info', {}, 'container'),
    }),
    [
      'application log: alive, it has no units',
      '> operator application log: add a unit, or remove the application',
      '$ add-unit mysql',
      '$ remove-application log',
    ],
  ],
  [
    'that is subordinate waits for the units of its principal, not for those of a subordinate beside it',
    'application log',
    explainView(
      {
        application: {
          ...application('log', { subordinate: true }),
          ...application('tap', { subordinate: true }),
        },
        relation: {
          ...relation(1, 'log:bus tap:bus', {}, 'container'),
          ...relation(2, 'log:info mysql:juju-info', {}, 'container'),
        },
        unit: unit('mysql/0', '0'),
        machine: machine('0'),
      },
      { absent: { 0: 2 } },
    ),
    [
      'application log: alive, it has no units yet: they come with the unit of mysql',
      '  unit mysql/0: alive, its agent is lost with that of machine 0',
      '    machine 0: alive, its agent has no connection; instance i-0 is pending',
      '> operator machine 0 2m: make sure that the machine runs and reaches the controller, or remove it',
      '$ remove-machine 0 --force',
    ],
  ],
];

test.each(applications)('an application %s', (_name, entity, view, expected) => {
  expect(lines(ref(entity), view)).toEqual(expected);
});

describe('explain with 100,000 units', () => {
  const count = 100_000;
  let gets = 0;
  const all: Record<string, object> = {};
  for (let n = 0; n < count; n++)
    Object.assign(all, { [`mysql/${n}`]: unit(`mysql/${n}`, '0', dying(1))[`mysql/${n}`] });
  const documents = { application: application('mysql', dying(1)), unit: all, machine: machine('0') };
  const view = explainView(documents, { onGet: () => gets++ });

  test('an application with 100,000 units shows the first ten and examines a thousand at most', () => {
    const explanation = explain({ kind: 'application', id: 'mysql' }, view);
    expect(explanation.text).toBe('waits for 100,000 units');
    expect(explanation.waitsFor).toHaveLength(10);
    expect(explanation.more).toBe(count - 10);
    expect(gets).toBeLessThan(20_000);
  });
});
