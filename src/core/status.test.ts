import { describe, expect, test } from 'vitest';
import {
  charmStatuses,
  deriveApplicationStatus,
  displayMachineStatus,
  displayUnitStatus,
  initialStatus,
  statusId,
  type Status,
} from './status.ts';

const since = '2026-01-01T00:00:00.000Z';
const later = '2026-01-02T00:00:00.000Z';
const status = (name: string, message = '', at = since): Status => ({ status: name, message, since: at });

test('the id of a status has the kind and the name of its entity', () => {
  expect(statusId('workload', 'mysql/0')).toBe('workload:mysql/0');
  expect(statusId('model', '')).toBe('model:');
});

test.each([
  ['unit-agent', 'allocating', ''],
  ['workload', 'waiting', 'waiting for machine'],
  ['application', 'unset', ''],
  ['machine-agent', 'pending', ''],
  ['instance', 'pending', ''],
  ['modification', 'idle', ''],
  ['relation', 'joining', ''],
  ['model', 'available', ''],
] as const)('a new %s is %s', (kind, name, message) => {
  expect(initialStatus(kind, since)).toEqual({ status: name, message, since });
});

test('a charm may set four statuses', () => {
  expect(charmStatuses).toEqual(['maintenance', 'blocked', 'waiting', 'active']);
});

describe('deriveApplicationStatus', () => {
  const unset = status('unset');
  test('an application shows the status that its leader set', () => {
    expect(deriveApplicationStatus(status('active', 'fine'), [status('error')])).toEqual(
      status('active', 'fine'),
    );
  });
  test.each([
    [['active', 'waiting'], 'waiting'],
    [['waiting', 'maintenance'], 'maintenance'],
    [['maintenance', 'blocked'], 'blocked'],
    [['error', 'blocked'], 'error'],
    [['unknown', 'terminated'], 'terminated'],
    [['terminated', 'active'], 'active'],
    [['unheard-of', 'unknown'], 'unknown'],
  ])('an application shows the worst of %j: %s', (units, worst) => {
    expect(
      deriveApplicationStatus(
        unset,
        units.map((name) => status(name)),
      ).status,
    ).toBe(worst);
    expect(deriveApplicationStatus(unset, units.map((name) => status(name)).reverse()).status).toBe(worst);
  });
  test('an application shows the first of equally bad units', () => {
    expect(deriveApplicationStatus(unset, [status('blocked', 'a'), status('blocked', 'b')]).message).toBe(
      'a',
    );
  });
  test('an application without units is unknown', () => {
    expect(deriveApplicationStatus(unset, [])).toEqual(status('unknown'));
  });

  const missing = [{ endpoint: 'db', interface: 'mysql', applications: [] }];
  const waits = 'missing relation: db (mysql)';
  const others = 'new units wait for relations: db (mysql)';
  test.each([
    ['a pending application without units shows what it waits for', unset, [], 0, 'blocked', waits],
    [
      'a pending application shows what its units wait for',
      unset,
      [status('blocked', waits)],
      0,
      'blocked',
      waits,
    ],
    [
      'a pending application with running units shows what new units wait for',
      unset,
      [status('active')],
      1,
      'active',
      others,
    ],
    [
      'a pending application adds what it waits for to a unit’s message',
      unset,
      [status('active', 'ready')],
      1,
      'active',
      `ready; ${others}`,
    ],
    ['so once', unset, [status('active'), status('blocked', waits)], 1, 'blocked', others],
    [
      'a pending application adds what it waits for to its leader’s message',
      status('active', 'fine'),
      [],
      1,
      'active',
      `fine; ${others}`,
    ],
    [
      'a pending application shows its leader’s message when nothing runs',
      status('active', 'fine'),
      [],
      0,
      'active',
      'fine',
    ],
  ] as const)('%s', (_, own, units, running, name, message) => {
    const shown = deriveApplicationStatus(own, units, { pending: { since: later, missing }, running });
    expect(shown).toMatchObject({ status: name, message });
    if (units.length === 0 && own === unset) expect(shown.since).toBe(later);
  });
});

describe('displayUnitStatus', () => {
  const show = (agent: Status, workload: Status, present: boolean) =>
    displayUnitStatus({ agent, workload, present, name: 'mysql/0' });
  const lost = { agent: status('lost', 'agent is not communicating with the server') };
  const seeLog = "agent lost, see 'juju show-status-log mysql/0'";

  test('a unit shows its statuses while its agent is connected', () => {
    const both = { agent: status('idle'), workload: status('active') };
    expect(show(both.agent, both.workload, true)).toEqual(both);
  });
  test("a unit shows a hook's error on the workload", () => {
    const agent = { ...status('error', 'hook failed: "install"', later), data: { hook: 'install' } };
    expect(show(agent, status('maintenance'), true)).toEqual({
      agent: { status: 'idle', message: '', since: later, data: {} },
      workload: agent,
    });
  });
  test('a unit shows that its agent is lost', () => {
    expect(show(status('idle'), status('active', 'fine', later), false)).toEqual({
      ...lost,
      workload: status('unknown', seeLog, later),
    });
  });
  test.each(['error', 'terminated'])('a unit shows a workload in %s though its agent is lost', (name) => {
    expect(show(status('idle'), status(name), false)).toEqual({ ...lost, workload: status(name) });
  });
  test.each([
    ['allocating', 'waiting for machine'],
    ['executing', 'installing charm software'],
  ])('a unit does not show a lost agent while %s', (agent, message) => {
    const both = { agent: status(agent), workload: status('waiting', message) };
    expect(show(both.agent, both.workload, false)).toEqual(both);
  });
});

describe('displayMachineStatus', () => {
  const show = (name: string, present: boolean, dead = false) =>
    displayMachineStatus({ agent: status(name), present, dead }).status;
  test.each([
    ['started', true, false, 'started'],
    ['started', false, false, 'down'],
    ['started', false, true, 'started'],
    ['pending', false, false, 'pending'],
    ['stopped', false, false, 'stopped'],
    ['error', false, false, 'error'],
  ])('a machine agent in %s, connected %s, dead %s shows %s', (name, present, dead, shown) => {
    expect(show(name, present, dead)).toBe(shown);
  });
});
