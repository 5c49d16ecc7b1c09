import { describe, expect, test } from 'vitest';
import type { DetailedStatus, FullStatus, UnitStatus } from '../../wire/facades/client.ts';
import { defined } from '../../core/defined.ts';
import { whyNot, type Look, type StateCondition } from './conditions.ts';
import { parseConditions } from './parse-conditions.ts';
import { splitWords } from '../../kit/words.ts';

const shop: Look = {
  instances: ['0', '7'],
  status: {
    model: { 'model-status': detailed('available') },
    machines: {
      '0': { 'agent-status': detailed('started', '', 'dying'), 'instance-status': detailed('running') },
      '2': {
        'agent-status': detailed('down'),
        'instance-status': detailed('lost', 'the instance no longer exists in the cloud'),
        containers: {
          '2/lxd/0': { 'agent-status': detailed('pending'), 'instance-status': detailed('allocating') },
        },
      },
    },
    applications: {
      web: {
        life: 'dying',
        status: detailed('error', 'hook failed: "stop"'),
        units: {
          'web/0': unit('error', 'hook failed: "stop"', {
            'log/3': unit('active', 'ready'),
          }),
        },
      },
    },
    relations: [{ key: 'log:host web:juju-info', status: detailed('joined') }],
  } as unknown as FullStatus,
};
const nowhere: Look = { status: undefined, instances: [] };

describe('conditions on a model with a dying web/0 and its subordinate', () => {
  test.each([
    ['unit web/0 is error and idle', undefined],
    [`unit web/0 is error with stop`, undefined],
    [`unit web/0 is error with start`, 'unit web/0 is dying, idle, error (hook failed: "stop")'],
    ['unit web/0 is active', 'unit web/0 is dying, idle, error (hook failed: "stop")'],
    ['unit web/0 is alive', 'unit web/0 is dying, idle, error (hook failed: "stop")'],
    ['unit web/0 is gone', 'unit web/0 is dying, idle, error (hook failed: "stop")'],
    ['units web/0 log/3 are there', undefined],
    ['unit web/1 is gone', undefined],
    ['unit web/1 is dying', 'unit web/1 is gone'],
    ['machine 0 is started and dying', undefined],
    ['machine 1 is there', 'machine 1 is gone'],
    ['machine 2 is lost and down', undefined],
    ['machine 2/lxd/0 is allocating', undefined],
    ['machine 2/lxd/1 is gone', undefined],
    ['machine 5/lxd/0 is gone', undefined],
    ['instance 7 is there', undefined],
    ['instance 1 is there', 'instance 1 is gone'],
    ['application web is dying', undefined],
    ['application web is error with stop', undefined],
    ['application web is active', 'application web is dying, error (hook failed: "stop")'],
    ['application web has 1 unit', undefined],
    ['application log has 1 unit', undefined],
    ['application web has 2 units', 'application web has 1 unit'],
    ['relation web:juju-info log:host is joined and alive', undefined],
    ['relation web:db kv:db is gone', undefined],
    ['model is available', undefined],
    ['model is gone', 'model is alive, available'],
    [
      'nothing is left',
      'left are application web, relation log:host web:juju-info, machine 0, machine 2, the instance of machine 0, the instance of machine 7',
    ],
  ])('%s', (text, reason) => {
    expect(first(text, shop)).toBe(reason);
  });
});

describe('an application', () => {
  const settled = (missing: readonly string[] | undefined, status: DetailedStatus, ...units: UnitStatus[]) =>
    whyNot(
      { kind: 'settled', application: 'web', ...defined({ missing }) },
      {
        instances: [],
        status: {
          applications: {
            web: { status, units: Object.fromEntries(units.map((one, n) => [`web/${n}`, one])) },
          },
        } as unknown as FullStatus,
      },
    );
  const active = detailed('active');

  test('is settled when each unit is idle, and active or blocked', () => {
    expect(settled(undefined, active, unit('active', ''), unit('blocked', 'no db'))).toBeUndefined();
    expect(settled(undefined, active, unit('active', ''), unit('waiting', 'db'))).toBe(
      'unit web/1 is dying, idle, waiting (db)',
    );
    expect(settled(undefined, active)).toBe('application web has no units');
  });

  test('is settled when units are blocked and lack something that the charm names', () => {
    expect(settled(['relation db'], active, unit('blocked', 'no db'))).toBeUndefined();
    expect(settled([], active, unit('blocked', 'no db'))).toMatch(
      /^unit web\/0 is blocked \(no db\), and the charm states nothing that is missing/,
    );
  });

  test('is not settled while it waits for a relation', () => {
    expect(settled([], detailed('blocked', 'missing relation: db (mysql)'))).toBeUndefined();
  });
});

test.each(['model is gone', 'nothing is left', 'unit web/0 is gone', 'application web has 0 units'])(
  'the condition %s is judged without a model',
  (text) => {
    expect(first(text, nowhere)).toBeUndefined();
  },
);

function first(text: string, look: Look): string | undefined {
  return parseConditions(splitWords(text))
    .map((condition) => whyNot(condition as StateCondition, look))
    .find((reason) => reason !== undefined);
}

function detailed(status: string, info = '', life: '' | 'dying' = ''): DetailedStatus {
  return { status, info, data: {}, since: '', kind: '', version: '', life };
}

function unit(workload: string, info: string, subordinates: Record<string, UnitStatus> = {}): UnitStatus {
  return {
    'agent-status': detailed('idle', '', 'dying'),
    'workload-status': detailed(workload, info),
    'workload-version': '',
    machine: '0',
    'opened-ports': [],
    'public-address': '',
    charm: '',
    subordinates,
  };
}
