import { describe, expect, test } from 'vitest';
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
import type { EntityRef } from '../entity-ref.ts';
import { explain } from './explain.ts';
import type { ExplainView } from './explanation.ts';

type Case = readonly [name: string, entity: string, view: ExplainView, expected: readonly string[]];

const ref = (text: string): EntityRef => {
  const [kind, id] = text.split(' ');
  return { kind: kind as EntityRef['kind'], id: id! };
};
const forced = { force: { deadline: '2026-01-01T01:00:40.000Z', by: 'user-admin' } };
const noRetry = { model: { config: { 'automatically-retry-hooks': false } } };

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
      offer: { db: { name: 'db', application: 'mysql', endpoints: [], connections: ['4'] } },
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

describe.each([
  ['a unit', units],
  ['a machine', machines],
  ['an application', applications],
])('%s', (kind, cases) => {
  test.each(cases)(`${kind} %s`, (_name, entity, view, expected) => {
    expect(lines(ref(entity), view)).toEqual(expected);
  });
});

test.each(others)('%s', (_name, entity, view, expected) => {
  expect(lines(ref(entity), view)).toEqual(expected);
});

test('explain throws "not found" for an entity that does not exist', () => {
  expect(() => explain({ kind: 'unit', id: 'mysql/0' }, explainView({}))).toThrow('unit "mysql/0" not found');
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
