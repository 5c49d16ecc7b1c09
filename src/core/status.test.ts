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

test('a status is found by its kind and entity', () => {
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

describe('an application shows', () => {
  const unset = status('unset');
  test('what its leader set', () => {
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
  ])('the worst of %j: %s', (units, worst) => {
    expect(
      deriveApplicationStatus(
        unset,
        units.map((name) => status(name)),
      ).status,
    ).toBe(worst);
    expect(deriveApplicationStatus(unset, units.map((name) => status(name)).reverse()).status).toBe(worst);
  });
  test('the first of equals', () => {
    expect(deriveApplicationStatus(unset, [status('blocked', 'a'), status('blocked', 'b')]).message).toBe(
      'a',
    );
  });
  test('unknown without units', () => {
    expect(deriveApplicationStatus(unset, [])).toEqual(status('unknown'));
  });

  const missing = [{ endpoint: 'db', interface: 'mysql', applications: [] }];
  const waits = 'missing relation: db (mysql)';
  const others = 'new units wait for relations: db (mysql)';
  test.each([
    ['what it waits for, without units', unset, [], 0, 'blocked', waits],
    ['what its units wait for', unset, [status('blocked', waits)], 0, 'blocked', waits],
    ['what new units wait for', unset, [status('active')], 1, 'active', others],
    ['so beside what a unit says', unset, [status('active', 'ready')], 1, 'active', `ready; ${others}`],
    ['so once', unset, [status('active'), status('blocked', waits)], 1, 'blocked', others],
    ['so beside what its leader set', status('active', 'fine'), [], 1, 'active', `fine; ${others}`],
    ['what its leader set when nothing runs', status('active', 'fine'), [], 0, 'active', 'fine'],
  ] as const)('%s', (_, own, units, running, name, message) => {
    const shown = deriveApplicationStatus(own, units, { pending: { since: later, missing }, running });
    expect(shown).toMatchObject({ status: name, message });
    if (units.length === 0 && own === unset) expect(shown.since).toBe(later);
  });
});

describe('a unit shows', () => {
  const show = (agent: Status, workload: Status, present: boolean) =>
    displayUnitStatus({ agent, workload, present, name: 'mysql/0' });
  const lost = { agent: status('lost', 'agent is not communicating with the server') };
  const seeLog = "agent lost, see 'juju show-status-log mysql/0'";

  test('its statuses while its agent is there', () => {
    const both = { agent: status('idle'), workload: status('active') };
    expect(show(both.agent, both.workload, true)).toEqual(both);
  });
  test("a hook's error on the workload", () => {
    const agent = { ...status('error', 'hook failed: "install"', later), data: { hook: 'install' } };
    expect(show(agent, status('maintenance'), true)).toEqual({
      agent: { status: 'idle', message: '', since: later, data: {} },
      workload: agent,
    });
  });
  test('that its agent is lost', () => {
    expect(show(status('idle'), status('active', 'fine', later), false)).toEqual({
      ...lost,
      workload: status('unknown', seeLog, later),
    });
  });
  test.each(['error', 'terminated'])('a workload in %s though its agent is lost', (name) => {
    expect(show(status('idle'), status(name), false)).toEqual({ ...lost, workload: status(name) });
  });
  test.each([
    ['allocating', 'waiting for machine'],
    ['executing', 'installing charm software'],
  ])('no loss while %s', (agent, message) => {
    const both = { agent: status(agent), workload: status('waiting', message) };
    expect(show(both.agent, both.workload, false)).toEqual(both);
  });
});

describe('a machine shows', () => {
  const show = (name: string, present: boolean, dead = false) =>
    displayMachineStatus({ agent: status(name), present, dead }).status;
  test.each([
    ['started', true, false, 'started'],
    ['started', false, false, 'down'],
    ['started', false, true, 'started'],
    ['pending', false, false, 'pending'],
    ['stopped', false, false, 'stopped'],
    ['error', false, false, 'error'],
  ])('%s, present %s, dead %s: %s', (name, present, dead, shown) => {
    expect(show(name, present, dead)).toBe(shown);
  });
});
