/** Explanations of machines that have no instance (machines.md#failure-classes), or have lost it (machines.md#lost). */
import { describe, expect, test } from 'vitest';
import {
  ago,
  application,
  dying,
  explainView,
  lines,
  machine,
  status,
  unit,
} from '../../testing/explain-view.ts';
import { type Case, ref } from '../../testing/explain-cases.ts';
import type { MachineDoc } from '../machine/document.ts';

/** A machine without an instance. */
const asked = (id: string, more: Partial<MachineDoc> = {}): Record<string, Partial<MachineDoc>> => ({
  [id]: { id, life: 'alive', createdAt: ago(9), ...more },
});
const suspended = (cause: string, message: string) =>
  status('model', '', 'suspended', message, { minutes: 6, data: { class: cause } });
const lost = { lost: status('instance', '0', 'lost', '', { minutes: 3 }), absent: { absent: { 0: 4 } } };

const starts: Case[] = [
  [
    'that waits for its next attempt shows the time of the attempt and the last error',
    'machine 0',
    explainView({
      machine: asked('0'),
      status: status('instance', '0', 'allocating', 'attempt 2 failed, next at 01:00:30Z: no host', {
        data: { next: '2026-01-01T01:00:30.000Z' },
      }),
    }),
    [
      'machine 0: alive, it is being started: attempt 2 failed, next at 01:00:30Z: no host',
      '> provisioner machine 0 1m: tries again at 01:00:30Z, until it succeeds',
      '$ retry-provisioning 0',
    ],
  ],
  [
    'that was refused in some zones is tried in others',
    'machine 0',
    explainView({
      machine: asked('0', { zone: 'c', failedZones: ['a', 'b'] }),
      status: status('instance', '0', 'allocating', 'starting'),
    }),
    [
      'machine 0: alive, it is being started (not in zones a and b: it failed there)',
      '> provisioner machine 0 1m: starts an instance',
    ],
  ],
  [
    'that failed permanently waits for the user, who may ask for less',
    'machine 0',
    explainView({
      machine: asked('0', { constraints: { mem: 65536 } }),
      status: status('instance', '0', 'provisioning error', 'no instance type has mem=64G', { minutes: 4 }),
    }),
    [
      'machine 0: alive, the provider cannot start it: no instance type has mem=64G',
      '> operator machine 0 4m: fix the provider error above, or request another machine',
      '$ retry-provisioning 0',
      '$ resolved 0 --constraints "…"',
      '$ remove-machine 0',
    ],
  ],
  [
    'that waits while all starts are suspended shows the reason',
    'machine 0',
    explainView({
      machine: asked('0'),
      status: suspended('quota', 'quota of 2 instances exceeded; next try at 01:01:00Z'),
    }),
    [
      'machine 0: alive, starts of machines are suspended: quota of 2 instances exceeded; next try at 01:01:00Z',
      '> operator model default 6m: have the quota of the account raised, or remove machines that are not needed; ' +
        'starts then resume automatically',
    ],
  ],
  [
    'that is the probe of suspended starts is being started',
    'machine 0',
    explainView({
      machine: asked('0'),
      status: {
        ...suspended('quota', 'quota exceeded; next try at 01:01:00Z'),
        ...status('instance', '0', 'allocating', 'starting'),
      },
    }),
    [
      'machine 0: alive, its start is tried now, to find out whether starts can resume',
      '> provisioner machine 0 1m: starts an instance',
    ],
  ],
  [
    'that has crashed waits while all starts are suspended',
    'machine 0',
    explainView(
      {
        machine: machine('0'),
        status: {
          ...suspended('credential', 'token expired; next try at 01:01:00Z'),
          ...status('machine-agent', '0', 'started'),
          ...status('instance', '0', 'stopped', 'Stopped'),
        },
      },
      { absent: { 0: 3 } },
    ),
    [
      'machine 0: alive, instance i-0 is stopped; starts of machines are suspended: token expired; next try at 01:01:00Z',
      '> operator model default 6m: make sure that the cloud accepts the credential of the model; ' +
        'starts then resume automatically',
    ],
  ],
  [
    'that waits for a credential shows the commands that change it',
    'machine 0',
    explainView(
      { machine: asked('0'), status: suspended('credential', 'the key is expired') },
      { model: { cloud: 'aws', credential: 'aws_admin_my_own' } },
    ),
    [
      'machine 0: alive, starts of machines are suspended: the key is expired',
      '> operator model default 6m: make sure that the cloud accepts the credential of the model; ' +
        'starts then resume automatically',
      '$ update-credential aws my_own',
      '$ set-credential aws <credential>',
    ],
  ],
  [
    'that failed permanently does not wait for the suspension',
    'machine 0',
    explainView({
      machine: asked('0'),
      status: {
        ...suspended('quota', 'quota exceeded'),
        ...status('instance', '0', 'provisioning error', 'no such zone', { minutes: 4 }),
      },
    }),
    [
      'machine 0: alive, the provider cannot start it: no such zone',
      '> operator machine 0 4m: fix the provider error above, or request another machine',
      '$ retry-provisioning 0',
      '$ resolved 0 --constraints "…"',
      '$ remove-machine 0',
    ],
  ],
];

const containers: Case[] = [
  [
    'waits for a host that waits for its start',
    'machine 1/lxd/0',
    explainView({
      machine: { ...asked('1'), ...asked('1/lxd/0', { parent: '1' }) },
      status: status('instance', '1', 'allocating', 'starting'),
    }),
    [
      'machine 1/lxd/0: alive, machine 1, which is to make this container, is not up',
      '  machine 1: alive, it is being started',
      '> provisioner machine 1 1m: starts an instance',
    ],
  ],
  [
    'waits for a host that failed permanently',
    'machine 1/lxd/0',
    explainView({
      machine: { ...asked('1'), ...asked('1/lxd/0', { parent: '1' }) },
      status: status('instance', '1', 'provisioning error', 'no such zone', { minutes: 2 }),
    }),
    [
      'machine 1/lxd/0: alive, machine 1, which is to make this container, is not up',
      '  machine 1: alive, the provider cannot start it: no such zone',
      '> operator machine 1 2m: fix the provider error above, or request another machine',
      '$ retry-provisioning 1',
      '$ resolved 1 --constraints "…"',
      '$ remove-machine 1 --force',
    ],
  ],
  [
    'is made by the agent of its host',
    'machine 1/lxd/0',
    explainView({
      machine: { ...machine('1'), ...asked('1/lxd/0', { parent: '1' }) },
      status: status('instance', '1/lxd/0', 'allocating', 'attempt 1 failed, next at 01:00:30Z: no space'),
    }),
    [
      'machine 1/lxd/0: alive, machine 1 is creating it: attempt 1 failed, next at 01:00:30Z: no space',
      '> agent machine 1 1m: makes container 1/lxd/0',
    ],
  ],
  [
    'that its host cannot make waits for the user',
    'machine 1/lxd/0',
    explainView({
      machine: { ...machine('1'), ...asked('1/lxd/0', { parent: '1' }) },
      status: status('instance', '1/lxd/0', 'provisioning error', 'arch arm64 is not this machine’s'),
    }),
    [
      'machine 1/lxd/0: alive, machine 1 cannot make it: arch arm64 is not this machine’s',
      '> operator machine 1/lxd/0 1m: fix the provider error above, or request another machine',
      '$ retry-provisioning 1/lxd/0',
      '$ resolved 1/lxd/0 --constraints "…"',
      '$ remove-machine 1/lxd/0',
    ],
  ],
  [
    'is down with its host, and so are the units in it',
    'unit mysql/0',
    explainView(
      {
        unit: unit('mysql/0', '0/lxd/0'),
        machine: { ...machine('0'), ...machine('0/lxd/0', { parent: '0' }) },
        status: lost.lost,
      },
      { absent: { 0: 4, '0/lxd/0': 4 } },
    ),
    [
      'unit mysql/0: alive, its agent is lost with that of machine 0/lxd/0',
      '  machine 0/lxd/0: alive, it is down with machine 0, which it runs in',
      '    machine 0: alive, its instance i-0 no longer exists, and it cannot be replaced: it is hosting container "0/lxd/0"',
      '> operator machine 0 3m: remove the machine',
      '$ remove-machine 0 --force',
    ],
  ],
];

const bases: Case[] = [
  [
    'that runs shows its provider’s remark',
    'machine 0',
    explainView({
      machine: machine('0'),
      status: status('instance', '0', 'running', 'Asked for ubuntu@24.04, runs on this host’s debian@13'),
    }),
    [
      'machine 0: alive, no problems found; Asked for ubuntu@24.04, runs on this host’s debian@13',
      'remove',
      '$ remove-machine 0',
    ],
  ],
];

const losses: Case[] = [
  [
    'that lost its instance is replaced or given up by the user',
    'machine 0',
    explainView({ machine: machine('0'), status: lost.lost }, lost.absent),
    [
      'machine 0: alive, its instance i-0 no longer exists',
      '> operator machine 0 3m: replace the instance, or remove the machine',
      '$ reprovision-machine 0',
      '$ remove-machine 0 --force',
      '$ model-config lost-machines=replace',
    ],
  ],
  [
    'that lost its instance is replaced automatically when the model says so',
    'machine 0',
    explainView(
      { machine: machine('0'), status: lost.lost },
      { ...lost.absent, model: { config: { 'lost-machines': 'replace' } } },
    ),
    [
      'machine 0: alive, its instance i-0 no longer exists',
      '> provisioner machine 0 3m: replaces the instance',
    ],
  ],
  [
    'that is dying and lost its instance is given up',
    'machine 0',
    explainView(
      { machine: machine('0', dying(5)), unit: unit('mysql/0', '0', dying(5)), status: lost.lost },
      lost.absent,
    ),
    [
      'machine 0: dying, waits for 1 unit; its instance i-0 no longer exists',
      '  unit mysql/0: dying, its agent is lost with that of machine 0',
      '    machine 0: above',
      '> operator machine 0 3m: remove the machine',
      '$ remove-machine 0 --force',
    ],
  ],
];

const stray = { instanceId: 'i-7', machine: '4', since: ago(8) };
const models: Case[] = [
  [
    'whose starts are suspended shows the suspension once for all waiting machines',
    'model u',
    explainView({
      application: application('mysql'),
      unit: unit('mysql/0', '0', { deployed: false }),
      machine: { ...asked('0'), ...asked('1') },
      status: suspended('credential', 'the key is expired'),
    }),
    [
      'model default: alive, 4 problems in it',
      '  starts of machines: suspended: the key is expired',
      '  application mysql: alive, its unit needs attention',
      '    unit mysql/0: alive, machine 0 has not started yet',
      '      machine 0: alive, starts of machines are suspended: the key is expired',
      '  machine 1: alive, starts of machines are suspended: the key is expired',
      '> operator model default 6m: make sure that the cloud accepts the credential of the model; ' +
        'starts then resume automatically',
    ],
  ],
  [
    'with stray instances offers the user to stop them or to let the controller do it',
    'model u',
    explainView({ stray: { 'i-7': stray, 'i-8': { ...stray, instanceId: 'i-8', machine: '' } } }),
    [
      'model default: alive, 2 problems in it',
      '  instance i-7: no machine refers to it; it was made for machine 4',
      '  instance i-8: no machine refers to it',
      '> operator model default 8m: stop the instances that no machine refers to, unless you need them',
      '$ model-config provisioner-harvest-mode=all',
    ],
  ],
  [
    'with stray instances stops them itself when its harvest mode says so',
    'model u',
    explainView(
      { stray: { 'i-7': stray } },
      { model: { config: { 'provisioner-harvest-mode': 'unknown' } } },
    ),
    [
      'model default: alive, 1 problem in it',
      '  instance i-7: no machine refers to it; it was made for machine 4',
      '> provisioner model default 8m: stops instances that no machine refers to',
    ],
  ],
  [
    'with harvest mode none is offered the mode that stops only stray instances',
    'model u',
    explainView({ stray: { 'i-7': stray } }, { model: { config: { 'provisioner-harvest-mode': 'none' } } }),
    [
      'model default: alive, 1 problem in it',
      '  instance i-7: no machine refers to it; it was made for machine 4',
      '> operator model default 8m: stop the instances that no machine refers to, unless you need them',
      '$ model-config provisioner-harvest-mode=unknown',
    ],
  ],
];

describe.each([
  ['a machine', starts],
  ['a container', containers],
  ['a machine', bases],
  ['a machine', losses],
  ['a model', models],
])('%s', (kind, cases) => {
  test.each(cases)(`${kind} %s`, (_name, entity, view, expected) => {
    expect(lines(ref(entity), view)).toEqual(expected);
  });
});
