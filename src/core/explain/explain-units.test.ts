/** What explain says of units. */
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
import { retryAtKey } from '../unit/retried-hook.ts';
import { attachedTo, storageDoc } from '../../testing/storage-doc.ts';
import { type Case, ref, forced, noRetry } from '../../testing/explain-cases.ts';

const retriedAt = (name: string, at: string): ReturnType<typeof status> =>
  status('unit-agent', name, 'error', 'hook failed: "stop"', {
    data: { hook: 'stop', [retryAtKey]: at },
    minutes: 3,
  });

const units: Case[] = [
  [
    'that is up has no problems, and shows how to remove it',
    'unit mysql/0',
    explainView({
      application: application('mysql'),
      unit: unit('mysql/0', '0'),
      machine: machine('0'),
      scope: inScope(1, 'mysql/0'),
      status: status('workload', 'mysql/0', 'active'),
    }),
    ['unit mysql/0: alive, no problems found', 'remove', '$ remove-unit mysql/0'],
  ],
  [
    'whose charm is blocked waits for the user',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0'),
      machine: machine('0'),
      status: status('workload', 'mysql/0', 'blocked', 'needs a database'),
    }),
    [
      'unit mysql/0: alive, its charm reports blocked: needs a database',
      '> operator unit mysql/0 1m: do what the message of the charm asks for',
    ],
  ],
  ...(['', 'no such device'] as const).map((problem): Case => [
    `waits for the LXD profile of its charm${problem && ', which the user has to mend'}`,
    'unit mysql/0',
    explainView({
      application: application('mysql', { charmUrl: 'local:mysql-1' }),
      charm: {
        'local:mysql-1': {
          url: 'local:mysql-1',
          revision: 1,
          lxdProfile: { description: '', config: {}, devices: {} },
        },
      },
      unit: unit('mysql/0', '0', { charmUrl: 'local:mysql-0' }),
      machine: machine('0', {
        instance: { id: 'i-0', displayName: '', hardware: {}, isolation: '', profiles: ['juju-m-mysql-0'] },
      }),
      status: status('modification', '0', problem ? 'error' : 'applied', problem),
    }),
    problem
      ? [
          'unit mysql/0: alive, waits until machine 0 has the LXD profile of charm local:mysql-1: no such device',
          '> operator machine 0 1m: see to what its error says, or refresh to a charm with another profile; it is tried again from time to time',
        ]
      : [
          'unit mysql/0: alive, waits until machine 0 has the LXD profile of charm local:mysql-1',
          '> provisioner machine 0: gives it the LXD profile',
        ],
  ]),
  [
    'waits for its storage, of which the machine’s agent and the cloud have to make the rest',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0'),
      machine: machine('0'),
      storage: {
        'data/0': storageDoc('data/0', { ...attachedTo('mysql/0'), machine: '0', number: '0/0' }),
        'data/1': storageDoc('data/1', {
          ...attachedTo('mysql/0'),
          machine: '0',
          detachable: true,
          problem: 'quota is used up',
          retry: { attempt: 1, at: '2026-01-01T12:04:30.000Z' },
        }),
        'data/2': storageDoc('data/2', {
          ...attachedTo('mysql/0'),
          mounted: '/srv',
          made: { providerId: '2', size: 1 },
        }),
      },
    }),
    [
      'unit mysql/0: alive, waits for 2 storages',
      '  storage data/0: not made yet',
      '  storage data/1: its volume is not made yet: quota is used up',
      '> operator storage data/1 60m: see to what its error says; it is tried again at 12:04:30Z',
      '$ show-storage data/1',
      '$ remove-storage data/1 --force',
      '> agent machine 0 60m: makes storage data/0',
    ],
  ],
  [
    'that is allocating waits for its machine, whose provider failed',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0', { deployed: false }),
      machine: { 0: { id: '0', life: 'alive', createdAt: ago(9) } },
      status: status('instance', '0', 'provisioning error', 'quota is used up', { minutes: 4 }),
    }),
    [
      'unit mysql/0: alive, machine 0 has not started yet',
      '  machine 0: alive, the provider cannot start it: quota is used up',
      '> operator machine 0 4m: fix the provider error above, or request another machine',
      '$ retry-provisioning 0',
      '$ resolved 0 --constraints "…"',
      '$ remove-machine 0 --force',
    ],
  ],
  [
    'waits for the agent of its machine to come up',
    'unit mysql/0',
    explainView(
      {
        unit: unit('mysql/0', '0', { deployed: false }),
        machine: machine('0'),
        status: {
          ...status('machine-agent', '0', 'pending'),
          ...status('instance', '0', 'running', 'Running', { minutes: 2 }),
        },
      },
      { absent: { 0: 9 } },
    ),
    [
      'unit mysql/0: alive, the agent of machine 0 has not come up yet',
      '  machine 0: alive, its agent has not come up yet; instance i-0 is running',
      '> agent machine 0 2m: comes up when the instance has started',
      '$ remove-machine 0 --force',
    ],
  ],
  [
    'waits for the first boot of its machine',
    'unit mysql/0',
    explainView(
      {
        unit: unit('mysql/0', '0', { deployed: false }),
        machine: machine('0'),
        status: {
          ...status('machine-agent', '0', 'pending', 'downloading the agent'),
          ...status('instance', '0', 'running', 'Running', { minutes: 2 }),
        },
      },
      { absent: { 0: 9 } },
    ),
    [
      'unit mysql/0: alive, the agent of machine 0 has not come up yet',
      '  machine 0: alive, its agent has not come up yet: downloading the agent; instance i-0 is running',
      '> agent machine 0 2m: comes up when the instance has started',
      '$ remove-machine 0 --force',
    ],
  ],
  [
    'on a machine whose first boot failed shows that machine',
    'unit mysql/0',
    explainView(
      {
        unit: unit('mysql/0', '0', { deployed: false }),
        machine: machine('0'),
        status: {
          ...status('machine-agent', '0', 'error', 'the disk is full', { minutes: 3 }),
          ...status('instance', '0', 'running', 'Running'),
        },
      },
      { absent: { 0: 9 } },
    ),
    [
      'unit mysql/0: alive, the agent of machine 0 has not come up yet',
      '  machine 0: alive, its first boot failed: the disk is full; instance i-0 is running',
      '> operator machine 0 3m: repair the machine and try again, or remove it',
      '$ ssh 0 sudo sh /var/lib/juju/first-boot.sh',
      '$ remove-machine 0 --force',
    ],
  ],
  [
    'that runs its install hook is waited for',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0'),
      machine: machine('0'),
      status: status('unit-agent', 'mysql/0', 'executing', 'running install hook', { minutes: 7 }),
    }),
    ['unit mysql/0: alive, its agent is running install hook', '> agent unit mysql/0 7m: runs install hook'],
  ],
  [
    'with a failed hook waits for the user, also when the agent retries by itself',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0', dying(12)),
      machine: machine('0'),
      status: hookFailed('mysql/0'),
    }),
    [
      'unit mysql/0: dying, hook failed: "stop"',
      '> operator unit mysql/0 3m: fix what makes hook stop fail; the agent retries it from time to time',
      '$ resolved mysql/0',
      '$ resolved mysql/0 --no-retry',
      '$ debug-log --include mysql/0 --lines 50 --no-tail',
    ],
  ],
  [
    'with a failed hook tells when its agent retries it',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0'),
      machine: machine('0'),
      status: retriedAt('mysql/0', '2026-01-01T12:04:30.000Z'),
    }),
    [
      'unit mysql/0: alive, hook failed: "stop"',
      '> operator unit mysql/0 3m: fix what makes hook stop fail; the agent retries it at 12:04:30Z',
      '$ resolved mysql/0',
      '$ resolved mysql/0 --no-retry',
      '$ debug-log --include mysql/0 --lines 50 --no-tail',
    ],
  ],
  [
    'with a failed hook does not tell a time of a retry that is over: its agent is late',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0'),
      machine: machine('0'),
      status: retriedAt('mysql/0', '2025-12-31T23:00:00.000Z'),
    }),
    [
      'unit mysql/0: alive, hook failed: "stop"',
      '> operator unit mysql/0 3m: fix what makes hook stop fail; the agent retries it from time to time',
      '$ resolved mysql/0',
      '$ resolved mysql/0 --no-retry',
      '$ debug-log --include mysql/0 --lines 50 --no-tail',
    ],
  ],
  [
    'with a failed hook shows no automatic retry when automatically-retry-hooks is false',
    'unit mysql/0',
    explainView(
      { unit: unit('mysql/0', '0'), machine: machine('0'), status: hookFailed('mysql/0') },
      noRetry,
    ),
    [
      'unit mysql/0: alive, hook failed: "stop"',
      '> operator unit mysql/0 3m: fix what makes hook stop fail',
      '$ resolved mysql/0',
      '$ resolved mysql/0 --no-retry',
      '$ debug-log --include mysql/0 --lines 50 --no-tail',
    ],
  ],
  [
    'that was resolved waits for its agent',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0', { resolved: 'no-hooks' }),
      machine: machine('0'),
      status: hookFailed('mysql/0'),
    }),
    ['unit mysql/0: alive, hook failed: "stop"', '> agent unit mysql/0 3m: continues without hook stop'],
  ],
  [
    'with a failed hook and a forced removal needs no user: the deadline clears it',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0', { ...dying(1), ...forced }),
      machine: machine('0'),
      status: hookFailed('mysql/0'),
    }),
    [
      'unit mysql/0: dying, hook failed: "stop"',
      '> cleaner unit mysql/0: removes what is left of it at 01:00:40Z',
      '$ resolved mysql/0',
      '$ resolved mysql/0 --no-retry',
      '$ debug-log --include mysql/0 --lines 50 --no-tail',
    ],
  ],
  [
    'that is dying leaves its relations itself',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0', dying(1)),
      machine: machine('0'),
      relation: relation(1, 'wordpress:db mysql:server'),
      scope: inScope(1, 'mysql/0', 'wordpress/0'),
    }),
    [
      'unit mysql/0: dying, its agent leaves 1 relation, stops the charm and reports its end',
      '  relation wordpress:db mysql:server: alive, to be left',
      '> agent unit mysql/0 1m: leaves 1 relation, stops the charm and reports its end',
    ],
  ],
  [
    'waits for its subordinates, and those wait for their agents',
    'unit mysql/0',
    explainView({
      unit: {
        ...unit('mysql/0', '0', dying(5)),
        ...unit('log/0', '0', { ...dying(5), principal: 'mysql/0' }),
      },
      machine: machine('0'),
      status: status('unit-agent', 'log/0', 'executing', 'running stop hook'),
    }),
    [
      'unit mysql/0: dying, waits for 1 subordinate',
      '  unit log/0: dying, its agent is running stop hook',
      '> agent unit log/0 1m: runs stop hook',
    ],
  ],
  [
    'whose turn has not come shows whose hook runs',
    'unit mysql/0',
    explainView({
      unit: { ...unit('mysql/0', '0', dying(5)), ...unit('web/0', '0') },
      machine: machine('0'),
      status: status('unit-agent', 'web/0', 'executing', 'running install hook'),
    }),
    [
      'unit mysql/0: dying, its turn comes when unit web/0 on the same machine has finished install hook',
      '> agent unit web/0 1m: runs install hook',
    ],
  ],
  [
    'on a lost machine waits for the user to start the machine or to give either up',
    'unit mysql/0',
    explainView(
      {
        unit: unit('mysql/0', '0', dying(5)),
        machine: machine('0'),
        status: status('instance', '0', 'running'),
      },
      { absent: { 0: 8 } },
    ),
    [
      'unit mysql/0: dying, its agent is lost with that of machine 0',
      '  machine 0: alive, its agent has no connection; instance i-0 is running',
      '> operator machine 0 8m: make sure that the machine runs and reaches the controller, or remove it',
      '$ remove-machine 0 --force',
      '> operator unit mysql/0 8m: reconnect the agent, or force the removal of the unit',
      '$ remove-unit mysql/0 --force',
    ],
  ],
  [
    'that is dead waits to be recalled',
    'unit mysql/0',
    explainView({
      unit: unit('mysql/0', '0', { life: 'dead', dyingSince: ago(2) }),
      machine: machine('0'),
    }),
    ['unit mysql/0: dead, it is to be removed', '> agent machine 0 2m: stops and removes unit mysql/0'],
  ],
];

test.each(units)('a unit %s', (_name, entity, view, expected) => {
  expect(lines(ref(entity), view)).toEqual(expected);
});
