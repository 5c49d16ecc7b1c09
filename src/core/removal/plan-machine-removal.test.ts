import { application, dying, explainView, machine, unit } from '../../testing/explain-view.ts';
import {
  tryRemovals,
  type Case,
  kept,
  notStarted,
  web,
  logs,
  logger,
  beside,
  waiting,
  shop,
} from '../../testing/removal-cases.ts';

const machines: Case[] = [
  [
    'the removal of a machine with an alive unit is refused unless forced',
    'machine 0',
    explainView(web),
    ['no machine 0: machine 0 has unit "web/0" assigned (--force)'],
  ],
  [
    'a forced machine takes its units and containers with it',
    'machine 0',
    explainView({
      application: { ...application('web'), ...application('mysql') },
      unit: { ...unit('web/0', '0'), ...unit('mysql/0', '0/lxd/0') },
      machine: { ...machine('0'), ...machine('0/lxd/0', { parent: '0', ...notStarted }) },
    }),
    [
      'although machine 0 has unit "web/0" assigned',
      'although machine 0 is hosting container "0/lxd/0"',
      'machine 0: requested',
      'unit web/0: on machine 0',
      'machine 0/lxd/0: container on machine 0',
      'unit mysql/0: on machine 0/lxd/0',
      'wait unit web/0 mysql/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end, instance to be released',
    ],
    { force: true },
  ],
  [
    'a removed machine waits for units that are already dying',
    'machine 0',
    explainView({ ...web, application: application('web', dying(1)), machine: machine('0', notStarted) }),
    [
      'machine 0: requested',
      'unit web/0: already dying',
      'application web: already dying, and nothing else holds it',
      'wait unit web/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'a removed machine leaves its instance running when that is requested or when no provider made it',
    'machine 0, machine 1',
    explainView({
      machine: {
        ...machine('0'),
        ...machine('1', {
          instance: { id: 'manual:', displayName: '', hardware: {}, isolation: '', unmanaged: true },
        }),
      },
    }),
    [
      'machine 0: requested',
      'machine 1: requested',
      'keep instance i-0: --keep-instance',
      'keep instance manual:: it was not made by the controller',
      'wait machine 0 1: agent to end',
    ],
    { keepInstance: true },
  ],
  [
    'a removed machine leaves units that were to be placed on it without a place',
    'machine 0',
    explainView({ application: shop, unit: waiting, machine: machine('0') }),
    [
      'machine 0: requested',
      'keep unit shop/0: it is to be placed on machine 0, which is removed',
      'wait machine 0: agent to end, instance to be released',
    ],
  ],
  [
    "The removal of the controller's machine is refused, also with force",
    'machine 0',
    explainView({ machine: machine('0', { isController: true }) }),
    ['no machine 0: cannot remove machine 0: it runs the only controller'],
    { force: true },
  ],
  [
    'a machine goes when its last unit is a target before it',
    'unit web/0, machine 0',
    explainView({
      ...web,
      unit: unit('web/0', '0', { deployed: false }),
      machine: machine('0', { ...kept, ...notStarted }),
    }),
    ['unit web/0: requested', 'machine 0: requested'],
  ],
  [
    'a machine that goes when it is empty goes with its last container',
    'machine 0/lxd/0',
    explainView({
      machine: { ...machine('0', notStarted), ...machine('0/lxd/0', { parent: '0', ...notStarted }) },
    }),
    ['machine 0/lxd/0: requested', 'machine 0: its last unit is removed'],
  ],
];

const several: Case[] = [
  [
    'a forced machine sets its subordinates dying, whatever set their principals dying before',
    'application web, machine 0, unit log/0',
    explainView({
      application: { ...application('web'), ...logger },
      unit: { ...unit('web/0', '0', { deployed: false }), ...beside },
      machine: machine('0'),
      relation: logs,
    }),
    [
      'application web: requested',
      'unit web/0: unit of application "web"',
      'relation 2: relation of application "web"',
      'unit log/0: subordinate to a removed unit of application "web"',
      'machine 0: its last unit is removed',
      'wait unit log/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end, instance to be released',
    ],
    { force: true },
  ],
  [
    'a container that goes with its emptied host sets no subordinate dying yet',
    'application web, unit log/0',
    explainView({
      application: { ...application('web'), ...logger },
      unit: {
        ...unit('web/0', '0'),
        ...unit('web/1', '0/lxd/0'),
        ...unit('log/0', '0/lxd/0', { principal: 'web/1' }),
      },
      machine: { ...machine('0'), ...machine('0/lxd/0', { parent: '0' }) },
      relation: logs,
    }),
    [
      'application web: requested',
      'unit web/0 web/1: unit of application "web"',
      'relation 2: relation of application "web"',
      'machine 0 0/lxd/0: its last unit is removed',
      'unit log/0: subordinate to a removed unit of application "web"',
      'no unit log/0: cannot destroy unit "log/0": unit is a subordinate, to remove use remove-relation. Note: this will remove all units of "log"',
      'wait unit web/0 web/1 log/0: hooks for leaving relations and stopping',
      'wait machine 0 0/lxd/0: agent to end, instance to be released',
    ],
    { force: true },
  ],
];

const models: Case[] = [
  [
    'a removed model goes with everything in it',
    'model u',
    explainView({
      application: { ...application('web'), ...logger },
      unit: {
        ...unit('web/0', '0', { deployed: false }),
        ...unit('log/0', '0', { principal: 'web/0', deployed: false }),
      },
      machine: { ...machine('0'), ...machine('1', kept) },
      relation: logs,
    }),
    [
      'model u: requested',
      'application web log: in model "u"',
      'machine 0 1: in model "u"',
      'unit web/0: unit of application "web"',
      'relation 2: relation of application "web"',
      'unit log/0: unit of application "log"',
      'wait machine 0 1: agent to end, instance to be released',
    ],
  ],
  [
    'instances that were to be kept go with their model',
    'model u',
    explainView({ machine: machine('0', { ...dying(1), keepInstance: true }) }),
    [
      'model u: requested',
      'instance i-7: in model "u"',
      'machine 0: in model "u"',
      'wait machine 0: agent to end, instance to be released',
    ],
    { keptInstances: ['i-7'] },
  ],
  [
    'instances that no machine refers to go with their model, each reported once',
    'model u',
    explainView({
      stray: {
        'i-7': { instanceId: 'i-7', machine: '4', since: '2026-01-01T00:00:00Z' },
        'i-8': { instanceId: 'i-8', machine: '', since: '2026-01-01T00:00:00Z' },
      },
    }),
    ['model u: requested', 'instance i-7 i-8: in model "u"'],
    { keptInstances: ['i-7'] },
  ],
];

tryRemovals({ 'a machine': machines, 'a model': models, several });
