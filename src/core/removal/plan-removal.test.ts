import { offerDoc, useOf } from '../../testing/offers.ts';
import { expect, test } from 'vitest';
import {
  application,
  dying,
  explainView,
  hookFailed,
  inScope,
  machine,
  relation,
  unit,
} from '../../testing/explain-view.ts';
import {
  tryRemovals,
  type Case,
  kept,
  notStarted,
  web,
  db,
  logs,
  logger,
  beside,
  storage,
  waiting,
  shop,
} from '../../testing/removal-cases.ts';
import { storageDoc } from '../../testing/storage-doc.ts';
import type { Refs } from '../impediments.ts';
import { planning } from './plan-removal.ts';

const units: Case[] = [
  [
    'a removed unit leaves its machine to a unit that waits to be placed there',
    'unit web/0',
    explainView({ ...web, application: { ...web.application, ...shop }, unit: { ...web.unit, ...waiting } }),
    [
      'unit web/0: requested',
      'keep machine 0: units of application "shop" wait to be placed on it',
      'wait unit web/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'a machine goes when its unit and the unit waiting for it are removed, in either order',
    'unit shop/0, unit web/0',
    explainView({ ...web, application: { ...web.application, ...shop }, unit: { ...web.unit, ...waiting } }),
    [
      'unit shop/0: requested',
      'unit web/0: requested',
      'machine 0: its last unit is removed',
      'wait unit web/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end, instance to be released',
    ],
  ],
  [
    "The instance of a removed unit's machine stays when provisioner-harvest-mode is none",
    'unit web/0',
    explainView(web),
    [
      'unit web/0: requested',
      'machine 0: its last unit is removed',
      'keep instance i-0: provisioner-harvest-mode is none',
      'wait unit web/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end',
    ],
    { harvest: 'none' },
  ],
  [
    'a removed unit takes the machine that was made for it',
    'unit web/0',
    explainView(web),
    [
      'unit web/0: requested',
      'machine 0: its last unit is removed',
      'wait unit web/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end, instance to be released',
    ],
  ],
  [
    'a unit that was never deployed runs no hook, and a machine that was never started has nothing to release',
    'unit web/0',
    explainView({ ...web, unit: unit('web/0', '0', { deployed: false }), machine: machine('0', notStarted) }),
    ['unit web/0: requested', 'machine 0: its last unit is removed'],
  ],
  [
    'a removed unit leaves a machine that was added by hand',
    'unit web/0',
    explainView({ ...web, machine: machine('0', kept) }),
    [
      'unit web/0: requested',
      'keep machine 0: it is not removed with its last unit',
      'wait unit web/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'a removed unit leaves a machine that has other units',
    'unit web/0',
    explainView({
      ...web,
      application: { ...application('web'), ...application('mysql') },
      unit: { ...unit('web/0', '0'), ...unit('mysql/0', '0') },
    }),
    [
      'unit web/0: requested',
      'keep machine 0: it has units of application "mysql"',
      'wait unit web/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'a removed unit leaves a machine with containers, and the one that runs the controller',
    'unit web/0, unit web/1',
    explainView({
      ...web,
      unit: { ...unit('web/0', '0', { deployed: false }), ...unit('web/1', '1', { deployed: false }) },
      machine: {
        ...machine('0'),
        ...machine('0/lxd/0', { parent: '0' }),
        ...machine('1', { isController: true }),
      },
    }),
    [
      'unit web/0: requested',
      'unit web/1: requested',
      'keep machine 0: it has containers',
      'keep machine 1: it runs the controller',
    ],
  ],
  [
    'a removed unit takes its subordinates with it',
    'unit web/0',
    explainView({
      ...web,
      unit: { ...unit('web/0', '0', { deployed: false }), ...beside },
      machine: machine('0', { ...notStarted }),
    }),
    [
      'unit web/0: requested',
      'unit log/0: subordinate to a removed unit of application "web"',
      'machine 0: its last unit is removed',
      'wait unit log/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'the removal of a subordinate unit is refused, also with force',
    'unit log/0',
    explainView({ ...web, unit: { ...unit('web/0', '0'), ...beside } }),
    [
      'no unit log/0: cannot destroy unit "log/0": unit is a subordinate, to remove use remove-relation. Note: this will remove all units of "log"',
    ],
    { force: true },
  ],
  [
    'the removal of an unknown unit is refused',
    'unit web/7',
    explainView(web),
    ['no unit web/7: unit "web/7" not found'],
  ],
  [
    'a unit whose hook has failed is waited for until the failure is resolved',
    'unit web/0',
    explainView({ ...web, machine: machine('0', kept), status: hookFailed('web/0') }),
    [
      'unit web/0: requested',
      'keep machine 0: it is not removed with its last unit',
      'wait unit web/0: a hook failed: resolve it, or use --force',
    ],
  ],
  [
    'a removed unit loses its storage, except storage that outlives it',
    'unit web/0',
    explainView({
      unit: unit('web/0', '0', { deployed: false }),
      storage: { ...storage('data/0', true), ...storage('tmp/1', false) },
    }),
    [
      'unit web/0: requested',
      'storage tmp/1: attached to unit "web/0"',
      'keep storage data/0: it outlives its unit',
    ],
  ],
  [
    'a removed model loses the storage that no unit uses, or leaves what outlives it',
    'model m',
    explainView({
      storage: { 'data/0': storageDoc('data/0', { detachable: true }), 'tmp/1': storageDoc('tmp/1') },
    }),
    ['model m: requested', 'storage tmp/1: in model "m"', 'keep storage data/0: it outlives its unit'],
  ],
  [
    'a removed model loses all storage when destroyStorage is set',
    'model m',
    explainView({ storage: { 'data/0': storageDoc('data/0', { detachable: true }) } }),
    ['model m: requested', 'storage data/0: in model "m"'],
    { destroyStorage: true },
  ],
  [
    'a removed unit loses all of its storage when destroyStorage is set',
    'unit web/0',
    explainView({
      unit: unit('web/0', '0', { deployed: false }),
      storage: storage('data/0', true),
    }),
    ['unit web/0: requested', 'storage data/0: attached to unit "web/0"'],
    { destroyStorage: true },
  ],
  [
    'a removed unit takes the dying relation and the dying application that only it held',
    'unit web/0',
    explainView({
      application: { ...application('web'), ...application('mysql', dying(1)) },
      unit: unit('web/0', '0', { deployed: false }),
      relation: relation(1, 'web:db mysql:server', dying(1)),
      scope: inScope(1, 'web/0'),
    }),
    [
      'unit web/0: requested',
      'relation 1: already dying, and nothing else holds it',
      'application mysql: already dying, and nothing else holds it',
    ],
  ],
  [
    'a removed unit leaves a dying relation that other units hold too',
    'unit web/0',
    explainView({
      application: { ...application('web'), ...application('mysql', dying(1)) },
      unit: { ...unit('web/0', '0', { deployed: false }), ...unit('web/1', '1') },
      relation: relation(1, 'web:db mysql:server', dying(1)),
      scope: inScope(1, 'web/0', 'web/1'),
    }),
    ['unit web/0: requested'],
  ],
  [
    'the last unit of a dying application ends the application',
    'unit web/0',
    explainView({
      application: application('web', dying(1)),
      unit: unit('web/0', '0', { ...dying(1), deployed: false }),
    }),
    ['unit web/0: requested', 'application web: already dying, and nothing else holds it'],
  ],
];

const applications: Case[] = [
  [
    'a removed application goes with its units, relations and offers; units elsewhere leave the relation',
    'application web',
    explainView({
      ...web,
      relation: db,
      scope: inScope(1, 'web/0', 'mysql/0', 'mysql/1'),
      offer: { shop: offerDoc('shop', 'web') },
    }),
    [
      'application web: requested',
      'unit web/0: unit of application "web"',
      'relation 1: relation of application "web"',
      'offer shop: offer of application "web"',
      'machine 0: its last unit is removed',
      'wait unit web/0: hooks for leaving relations and stopping',
      'wait unit mysql/0 mysql/1: hooks for leaving relation "web:db mysql:server"',
      'wait machine 0: agent to end, instance to be released',
    ],
  ],
  [
    'the removal of an application that others use through an offer is refused, also with force',
    'application web',
    explainView({
      ...web,
      offer: { shop: offerDoc('shop', 'web') },
      relation: { 3: useOf(offerDoc('shop', 'web'), 3).relation },
    }),
    ['no application web: cannot destroy application "web": application is used by 1 offer'],
    { force: true },
  ],
  [
    'a removed subordinate application goes without its principals',
    'application log',
    explainView({
      application: { ...application('web'), ...logger },
      unit: { ...unit('web/0', '0'), ...beside },
      relation: logs,
    }),
    [
      'application log: requested',
      'unit log/0: unit of application "log"',
      'relation 2: relation of application "log"',
      'wait unit log/0: hooks for leaving relations and stopping',
    ],
  ],
];

const relations: Case[] = [
  [
    'a removed relation is left by the units in its scope, which stay',
    'relation 1',
    explainView({ ...web, relation: db, scope: inScope(1, 'web/0', 'mysql/0') }),
    ['relation 1: requested', 'wait unit web/0 mysql/0: hooks for leaving relation "web:db mysql:server"'],
  ],
  [
    'a removed relation takes the subordinates that nothing else ties to their principals',
    'relation 2',
    explainView({
      application: { ...application('web'), ...logger },
      unit: {
        ...unit('web/0', '0'),
        ...beside,
        ...unit('log/1', '1', { principal: 'mysql/0' }),
        ...unit('mysql/0', '1'),
      },
      relation: { ...logs, ...relation(3, 'log:info mysql:info', {}, 'container') },
    }),
    [
      'relation 2: requested',
      'unit log/0: no relation to application "web" is left',
      'wait unit log/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'a removed relation leaves subordinates that another relation ties to their principals',
    'relation 2',
    explainView({
      application: { ...application('web'), ...logger },
      unit: { ...unit('web/0', '0'), ...beside },
      relation: { ...logs, ...relation(3, 'log:more web:more', {}, 'container') },
    }),
    ['relation 2: requested'],
  ],
  [
    'the removal of a peer relation is refused',
    'relation 4',
    explainView({ ...web, relation: relation(4, 'web:peers') }),
    ['no relation 4: cannot destroy relation "web:peers": is a peer relation'],
    { force: true },
  ],
];

tryRemovals({ 'a unit': units, 'an application': applications, 'a relation': relations });

test("the plan of a removal of 20,000 units pauses in between and lists the application's units only a few times", () => {
  const many = 20_000;
  const names = Array.from({ length: many }, (_, n) => `web/${n}`);
  const model = explainView({
    application: application('web'),
    unit: Object.fromEntries(names.flatMap((name) => Object.entries(unit(name, '0')))),
    machine: machine('0', kept),
  });
  let listed = 0;
  const refs: Refs = {
    ...model,
    find: (kind, index, value) => {
      // Other lookups find no unit, and the literal view would search all units for each of them.
      if (index !== 'application' && !(kind === 'unit' && index === 'machine')) return [];
      listed++;
      return model.find(kind, index, value);
    },
  };
  const steps = planning(refs, [{ kind: 'application', id: 'web' }]);
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  expect(step.value.targets[0]!.dies.map(({ ids }) => ids.length)).toEqual([1, many]);
  expect(pauses).toBeGreaterThan(many / 200);
  expect(listed).toBeLessThan(30);
});
