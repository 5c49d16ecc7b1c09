import { describe, expect, test } from 'vitest';
import {
  ago,
  application,
  dying,
  explainView,
  hookFailed,
  inScope,
  machine,
  relation,
  status,
  unit,
} from '../../testing/explain-view.ts';
import { age } from './age.ts';
import { pendingRemovals } from './pending-removals.ts';
import { shortForm } from './short-form.ts';

const soon = { force: { deadline: '2026-01-01T01:00:40.000Z', by: 'user-admin' } };
const past = { force: { deadline: '2026-01-01T00:59:00.000Z', by: 'user-admin' } };
const mysql = (more: object) => ({ unit: unit('mysql/0', '0', more), machine: machine('0') });

test.each([
  [0, '0s'],
  [-5, '0s'],
  [59, '59s'],
  [61, '1m'],
  [3600, '1h'],
  [3600 + 20 * 60, '1h20m'],
  [86_400 * 2.5, '2d'],
])('the age of %d seconds is %s', (seconds, expected) => {
  const since = new Date(Date.parse('2026-01-01T00:00:00Z') - seconds * 1000).toISOString();
  expect(age(since, '2026-01-01T00:00:00Z')).toBe(expected);
});

describe('the short form', () => {
  test.each([
    ['an alive unit has an empty short form', mysql({}), ''],
    [
      'a unit with a failed hook shows the command that helps',
      { ...mysql(dying(5)), status: hookFailed('mysql/0') },
      'dying for 5m: "resolved" helps',
    ],
    [
      'a resolved unit waits for its agent',
      { ...mysql({ ...dying(5), resolved: 'no-hooks' }), status: hookFailed('mysql/0') },
      'dying for 5m: resolved',
    ],
    [
      'a busy unit leaves the details to its agent’s status',
      { ...mysql(dying(5)), status: status('unit-agent', 'mysql/0', 'executing', 'running stop hook') },
      'dying for 5m',
    ],
    [
      'a unit in scopes is leaving them',
      {
        ...mysql(dying(5)),
        relation: { ...relation(1, 'wordpress:db mysql:server'), ...relation(2, 'mysql:cluster') },
        scope: { ...inScope(1, 'mysql/0'), ...inScope(2, 'mysql/0') },
      },
      'dying for 5m: leaving relation wordpress:db mysql:server and 1 more',
    ],
    [
      'a unit with a subordinate waits for it',
      {
        unit: { ...unit('mysql/0', '0', dying(5)), ...unit('log/3', '0', { principal: 'mysql/0' }) },
        machine: machine('0'),
      },
      'dying for 5m: waiting for subordinate log/3',
    ],
    [
      'a unit with two subordinates shows their number',
      {
        unit: {
          ...unit('mysql/0', '0', dying(5)),
          ...unit('log/3', '0', { principal: 'mysql/0' }),
          ...unit('top/1', '0', { principal: 'mysql/0' }),
        },
        machine: machine('0'),
      },
      'dying for 5m: waiting for subordinate log/3 and 1 more',
    ],
    ['a unit without impediments is stopping', mysql(dying(5)), 'dying for 5m: stopping'],
    [
      'a forced unit shows when it is cleared',
      mysql({ ...dying(5), ...soon }),
      'dying for 5m: stopping (forced, cleared at 01:00:40Z)',
    ],
    [
      'a forced unit past its deadline is being cleared',
      mysql({ ...dying(5), ...past }),
      'dying for 5m: stopping (forced, being cleared)',
    ],
    [
      'a dead unit waits for its machine',
      mysql({ life: 'dead', dyingSince: ago(5) }),
      'dead for 5m: waiting for machine 0 to stop its agent',
    ],
  ])('%s', (_name, documents, expected) => {
    expect(shortForm({ kind: 'unit', id: 'mysql/0' }, explainView(documents))).toBe(expected);
  });

  test('a unit whose agent is lost names its machine', () => {
    const view = explainView(mysql(dying(5)), { absent: { 0: 1 } });
    expect(shortForm({ kind: 'unit', id: 'mysql/0' }, view)).toBe(
      'dying for 5m: the agent of machine 0 is lost',
    );
  });

  test.each([
    [
      'a dying application waits for units',
      { ...mysql({}), application: application('mysql', dying(5)) },
      'dying for 5m: waiting for 1 unit',
    ],
    [
      'a dying application waits for another application’s unit',
      {
        application: application('mysql', dying(5)),
        relation: relation(1, 'wordpress:db mysql:server'),
        scope: inScope(1, 'wordpress/0'),
      },
      'dying for 5m: unit "wordpress/0" is in the scope of relation "wordpress:db mysql:server"',
    ],
    [
      'a dying application without impediments is removed next',
      { application: application('mysql', dying(5)) },
      'dying for 5m: about to be removed',
    ],
  ])('%s', (_name, documents, expected) => {
    expect(shortForm({ kind: 'application', id: 'mysql' }, explainView(documents))).toBe(expected);
  });

  test.each([
    [
      'a dying machine waits for units',
      {
        unit: { ...unit('mysql/0', '0'), ...unit('web/0', '0') },
        machine: machine('0', dying(5)),
      },
      'dying for 5m: waiting for unit mysql/0 and 1 more',
    ],
    [
      'a dying machine waits for its agent',
      { machine: machine('0', dying(5)) },
      'dying for 5m: waiting for its agent',
    ],
    [
      'a dying machine that was never started is removed next',
      { machine: { 0: { id: '0', ...dying(5) } } },
      'dying for 5m: about to be removed',
    ],
    [
      'a dead machine waits for the provider',
      { machine: machine('0', { life: 'dead', dyingSince: ago(5) }) },
      'dead for 5m: instance i-0 is being released',
    ],
  ])('%s', (_name, documents, expected) => {
    expect(shortForm({ kind: 'machine', id: '0' }, explainView(documents))).toBe(expected);
  });

  test.each([
    ['one unit', ['mysql/0'], 'dying for 5m: waiting for mysql/0 to leave'],
    ['more units', ['mysql/0', 'mysql/1'], 'dying for 5m: waiting for 2 units to leave'],
    ['nobody', [], 'dying for 5m: about to be removed'],
  ])('a relation with %s in its scope has a short form', (_name, names, expected) => {
    const view = explainView({
      relation: relation(1, 'wordpress:db mysql:server', dying(5)),
      scope: inScope(1, ...names),
    });
    expect(shortForm({ kind: 'relation', id: '1' }, view)).toBe(expected);
  });

  test.each([
    [
      { application: application('mysql'), machine: machine('0') },
      'dying for 5m: waiting for 1 application and 1 machine',
    ],
    [{}, 'dying for 5m: releasing its cloud resources'],
    [
      { status: { 'model:': { status: 'destroying', message: 'no answer', since: ago(1) } } },
      'dying for 5m: releasing its cloud resources, in vain: no answer',
    ],
  ])('the short form of a model', (documents, expected) => {
    expect(shortForm({ kind: 'model', id: 'u' }, explainView(documents, { model: dying(5) }))).toBe(expected);
  });
});

describe('pending removals', () => {
  const view = explainView(
    {
      application: { ...application('mysql', { ...dying(2), ...soon }), ...application('web', dying(2)) },
      unit: { ...unit('mysql/0', '0', { ...dying(2), ...soon }), ...unit('mysql/1', '1', dying(2)) },
      machine: {
        ...machine('0', { life: 'dead', dyingSince: ago(3) }),
        ...machine('1', dying(2)),
        2: { id: '2', life: 'dead' },
      },
    },
    { model: {} },
  );

  test('pending removals are forced removals and dead machines with an instance', () => {
    const { removals, total } = pendingRemovals(view, 100);
    expect(removals.map(({ entity, waitsFor }) => `${entity.kind} ${entity.id}: ${waitsFor}`)).toEqual([
      'application mysql: waiting for 2 units',
      'unit mysql/0: stopping',
      'machine 0: instance i-0 is being released',
    ]);
    expect(total).toBe(3);
  });

  test('pending removals are limited in number, with their total', () => {
    const { removals, total } = pendingRemovals(view, 1);
    expect([removals.length, total]).toEqual([1, 3]);
  });
});
