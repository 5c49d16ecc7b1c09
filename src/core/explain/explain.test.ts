/** What explain says of machines, relations and models; units and applications have files of their own. */
import { expect, test } from 'vitest';
import {
  ago,
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
import { type Case, ref, forced, noRetry } from '../../testing/explain-cases.ts';

const machines: Case[] = [
  [
    'that is pending waits for its provisioner, with the last error',
    'machine 0',
    explainView({
      machine: { 0: { id: '0', life: 'alive', createdAt: ago(9) } },
      status: status('instance', '0', 'allocating', 'attempt 2 failed, next at 01:00:30Z: no host', {
        minutes: 1,
      }),
    }),
    [
      'machine 0: alive, it is being started: attempt 2 failed, next at 01:00:30Z: no host',
      '> provisioner machine 0 1m: starts an instance',
    ],
  ],
  [
    'that is up shows why remove-machine would refuse it',
    'machine 0',
    explainView({
      application: application('mysql'),
      unit: unit('mysql/0', '0'),
      machine: { ...machine('0'), ...machine('0/lxd/0', { parent: '0' }) },
      status: status('workload', 'mysql/0', 'active'),
    }),
    [
      'machine 0: alive, no problems found',
      'remove remove-machine refuses because of 1 alive unit and 1 container',
      '$ remove-unit mysql/0',
      '$ remove-machine 0/lxd/0',
    ],
  ],
  [
    'that is up names the units in its containers, since remove-machine refuses a container with a unit too',
    'machine 0',
    explainView({
      application: application('mysql'),
      unit: { ...unit('mysql/0', '0/lxd/0'), ...unit('mysql/1', '0/lxd/1') },
      machine: {
        ...machine('0', { removeWhenEmpty: false }),
        ...machine('0/lxd/0', { parent: '0' }),
        ...machine('0/lxd/1', { parent: '0', removeWhenEmpty: false }),
        ...machine('0/lxd/2', { parent: '0' }),
      },
      status: { ...status('workload', 'mysql/0', 'active'), ...status('workload', 'mysql/1', 'active') },
    }),
    [
      'machine 0: alive, no problems found',
      'remove remove-machine refuses because of 3 containers',
      '$ remove-unit mysql/0 mysql/1',
      '$ remove-machine 0/lxd/2 0/lxd/1',
      '$ remove-machine 0',
    ],
  ],
  [
    'that is up shows the problems of its units',
    'machine 0',
    explainView(
      {
        application: application('mysql'),
        unit: { ...unit('mysql/0', '0'), ...unit('web/0', '0', dying(3)) },
        machine: machine('0', { removeWhenEmpty: false }),
        status: { ...hookFailed('web/0'), ...status('workload', 'mysql/0', 'active') },
      },
      noRetry,
    ),
    [
      'machine 0: alive, 1 unit on it needs attention',
      '  unit web/0: dying, hook failed: "stop"',
      '> operator unit web/0 3m: fix what makes hook stop fail',
      '$ resolved web/0',
      '$ resolved web/0 --no-retry',
      '$ debug-log --include web/0 --lines 50 --no-tail',
      'remove remove-machine refuses because of 1 alive unit',
      '$ remove-unit mysql/0',
      '$ remove-machine 0',
    ],
  ],
  [
    'that is dying and lost, with a unit, ends the circle at the machine',
    'machine 0',
    explainView(
      {
        unit: unit('mysql/0', '0', dying(5)),
        machine: machine('0', dying(6)),
        status: status('instance', '0', 'running'),
      },
      { absent: { 0: 8 } },
    ),
    [
      'machine 0: dying, waits for 1 unit; its agent has no connection; instance i-0 is running',
      '  unit mysql/0: dying, its agent is lost with that of machine 0',
      '    machine 0: above',
      '> operator machine 0 8m: make sure that the machine runs and reaches the controller, or remove it',
      '$ remove-machine 0 --force',
    ],
  ],
  [
    'that is dying, forced and lost is cleared with everything on it',
    'machine 0',
    explainView(
      { unit: unit('mysql/0', '0', dying(5)), machine: machine('0', { ...dying(6), ...forced }) },
      { absent: { 0: 8 } },
    ),
    [
      'machine 0: dying, waits for 1 unit; its agent has no connection; instance i-0 is pending',
      '  unit mysql/0: dying, its agent is lost with that of machine 0',
      '> cleaner unit mysql/0: removes what is left of it at 01:00:40Z',
      '> cleaner machine 0: removes what is left of it at 01:00:40Z',
    ],
  ],
  [
    'that is dying and empty waits for its agent',
    'machine 0',
    explainView({ machine: machine('0', dying(2)) }),
    [
      'machine 0: dying, nothing is left on it',
      '> agent machine 0 2m: stops the agents on the machine and reports that it has ended',
    ],
  ],
  [
    'that was never provisioned waits for no agent',
    'machine 0',
    explainView({ machine: { 0: { id: '0', createdAt: ago(5), ...dying(2) } } }),
    [
      'machine 0: dying, it has no instance yet',
      '> provisioner machine 0 2m: removes it: it was never started',
    ],
  ],
  [
    'that is dead waits for its instance to be released',
    'machine 0',
    explainView({
      machine: machine('0', { life: 'dead', dyingSince: ago(3) }),
      status: status('instance', '0', 'error', 'the cloud does not answer', { minutes: 2 }),
    }),
    [
      'machine 0: dead, instance i-0 is being released: the cloud does not answer',
      '> provisioner machine 0 2m: releases instance i-0, retrying until it succeeds, then removes the record',
    ],
  ],
  [
    'that is dead and keeps its instance waits for its record to be removed',
    'machine 0',
    explainView({ machine: machine('0', { life: 'dead', keepInstance: true }) }),
    [
      'machine 0: dead, its record is to be removed; instance i-0 stays',
      '> provisioner machine 0: removes the record',
    ],
  ],
  [
    'that runs the controller cannot be removed',
    'machine 0',
    explainView({ machine: machine('0', { isController: true }) }),
    ['machine 0: alive, no problems found', 'remove machine 0 runs the only controller'],
  ],
];

const others: Case[] = [
  [
    'an alive relation has no problems',
    'relation 1',
    explainView({ relation: relation(1, 'wordpress:db mysql:server'), scope: inScope(1, 'mysql/0') }),
    [
      'relation wordpress:db mysql:server: alive, no problems found; 1 unit is in its scope',
      'remove',
      '$ remove-relation 1',
    ],
  ],
  [
    'a peer relation is removed with its application',
    'relation 2',
    explainView({ relation: relation(2, 'mysql:cluster') }),
    [
      'relation mysql:cluster: alive, no problems found; 0 units are in its scope',
      'remove a peer relation is removed with its application',
      '$ remove-application mysql',
    ],
  ],
  [
    'a forced relation is cleared where an agent is lost',
    'relation 1',
    explainView(
      {
        relation: relation(1, 'wordpress:db mysql:server', { ...dying(1), ...forced }),
        scope: inScope(1, 'mysql/0'),
        unit: unit('mysql/0', '0'),
        machine: machine('0'),
      },
      { absent: { 0: 5 } },
    ),
    [
      'relation wordpress:db mysql:server: dying, 1 unit is in its scope',
      '  unit mysql/0: alive, its agent is lost with that of machine 0',
      '> cleaner unit mysql/0: removes what is left of it at 01:00:40Z',
    ],
  ],
  [
    'a dying model waits for its applications, then its machines',
    'model u',
    explainView(
      {
        application: application('mysql', dying(2)),
        unit: unit('mysql/0', '0', dying(2)),
        machine: machine('0', dying(2)),
        status: hookFailed('mysql/0'),
      },
      { model: { ...dying(3), ...noRetry.model } },
    ),
    [
      'model default: dying, waits for 1 application, 1 unit and 1 machine',
      '  application mysql: dying, waits for 1 unit',
      '    unit mysql/0: dying, hook failed: "stop"',
      '  machine 0: dying, waits for 1 unit',
      '    unit mysql/0: above',
      '> operator unit mysql/0 3m: fix what makes hook stop fail',
      '$ resolved mysql/0',
      '$ resolved mysql/0 --no-retry',
      '$ debug-log --include mysql/0 --lines 50 --no-tail',
    ],
  ],
  [
    'an empty dying model waits for the undertaker',
    'model u',
    explainView({}, { model: dying(1) }),
    [
      'model default: dying, it is empty',
      '> undertaker model default 1m: releases its resources in the cloud, then removes the record',
    ],
  ],
  [
    'an alive model shows the problems of its entities',
    'model u',
    explainView({
      application: { ...application('mysql'), ...application('web') },
      unit: { ...unit('mysql/0', '0'), ...unit('web/0', '1') },
      machine: { ...machine('0'), ...machine('1'), ...machine('2', { life: 'dead', dyingSince: ago(4) }) },
      status: {
        ...status('workload', 'mysql/0', 'active'),
        ...status('workload', 'web/0', 'blocked', 'no disk'),
      },
    }),
    [
      'model default: alive, 2 problems in it',
      '  application web: alive, its unit needs attention',
      '    unit web/0: alive, its charm reports blocked: no disk',
      '  machine 2: dead, instance i-2 is being released',
      '> operator unit web/0 1m: do what the message of the charm asks for',
      '> provisioner machine 2 4m: releases instance i-2, retrying until it succeeds, then removes the record',
    ],
  ],
  [
    'a healthy model shows its number of entities',
    'model u',
    explainView({ application: application('mysql'), machine: machine('0') }),
    [
      'model default: alive, no problems found; it has 1 application and 1 machine',
      'remove',
      '$ destroy-model default',
    ],
  ],
  [
    'the controller’s model cannot be removed alone',
    'model u',
    explainView({ machine: machine('0', { isController: true }) }),
    [
      'model default: alive, no problems found; it has 1 machine',
      'remove the controller runs in it: remove both with destroy-controller',
    ],
  ],
  [
    'the controller’s model warns half a year before the CA certificate expires',
    'model u',
    {
      ...explainView({ machine: machine('0', { isController: true }) }),
      authorityUntil: '2026-07-01T00:00:00Z',
    },
    [
      'model default: alive, 1 problem in it',
      '  CA certificate of the controller: expires on 2026-07-01: no client or agent can connect afterwards',
      '> operator the controller: bootstrap another controller and deploy there what must keep running, see docs/certificates.md',
    ],
  ],
  [
    'the controller’s model does not warn years before the CA certificate expires',
    'model u',
    {
      ...explainView({ machine: machine('0', { isController: true }) }),
      authorityUntil: '2029-07-01T00:00:00Z',
    },
    [
      'model default: alive, no problems found; it has 1 machine',
      'remove the controller runs in it: remove both with destroy-controller',
    ],
  ],
  [
    'other models do not mention the CA certificate',
    'model u',
    { ...explainView({ machine: machine('0') }), authorityUntil: '2026-07-01T00:00:00Z' },
    ['model default: alive, no problems found; it has 1 machine', 'remove', '$ destroy-model default'],
  ],
];

test.each(machines)('a machine %s', (_name, entity, view, expected) => {
  expect(lines(ref(entity), view)).toEqual(expected);
});

test.each(others)('%s', (_name, entity, view, expected) => {
  expect(lines(ref(entity), view)).toEqual(expected);
});

test('explain throws "not found" for an entity that does not exist', () => {
  expect(() => explain({ kind: 'unit', id: 'mysql/0' }, explainView({}))).toThrow('unit "mysql/0" not found');
});
