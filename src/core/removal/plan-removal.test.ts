import { describe, expect, test } from 'vitest';
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
import type { EntityRef } from '../entity-ref.ts';
import type { Refs } from '../impediments.ts';
import type { RemovalOptions } from './plan.ts';
import { planning, planRemoval } from './plan-removal.ts';
import { why } from './why.ts';

type Case = readonly [
  name: string,
  targets: string,
  refs: Refs,
  expected: readonly string[],
  options?: RemovalOptions,
];

const refsOf = (text: string): EntityRef[] =>
  text.split(', ').map((one) => {
    const [kind, id] = one.split(' ');
    return { kind: kind as EntityRef['kind'], id: id! };
  });

/** `unit web/0 web/1: unit of application "web"`; after `keep` what stays, after `wait` what is waited for. */
function lines(targets: string, refs: Refs, options?: RemovalOptions): string[] {
  const plan = planRemoval(refs, refsOf(targets), options);
  const group = (one: Parameters<typeof why>[0]): string =>
    `${one.kind} ${one.ids.join(' ')}: ${why(one, (id) => refs.get('relation', id)?.key)}`;
  return [
    ...plan.targets.flatMap(({ entity, refusal, passedOver, dies }) => [
      ...(refusal
        ? [`no ${entity.kind} ${entity.id}: ${refusal.message}${refusal.passedOver ? ' (--force)' : ''}`]
        : []),
      ...passedOver.map(({ text }) => `although ${text}`),
      ...dies.map(group),
    ]),
    ...plan.keeps.map((one) => `keep ${group(one)}`),
    ...plan.waits.map((one) => `wait ${group(one)}`),
  ];
}

const kept = { removeWhenEmpty: false };
const notStarted = { instance: undefined as never };
const web = { application: application('web'), unit: unit('web/0', '0'), machine: machine('0') };
const db = relation(1, 'web:db mysql:server');
const logs = relation(2, 'log:info web:info', {}, 'container');
const logger = application('log', { subordinate: true });
const beside = unit('log/0', '0', { principal: 'web/0' });
const storage = (name: string, detachable: boolean) => ({
  [`${name}#web/0`]: { storage: name, unit: 'web/0', detachable },
});

/** It waits for what it requires, and is to be placed on machine 0. */
const { machine: _, ...waits } = unit('shop/0', '', { deployed: false })['shop/0']!;
const waiting = {
  'shop/0': { ...waits, unplaced: { placement: { scope: '#', directive: '0' } } },
};
const shop = application('shop', { pending: { since: '', missing: [] } });

const units: Case[] = [
  [
    'leaves the machine to a unit that waits to be placed on it',
    'unit web/0',
    explainView({ ...web, application: { ...web.application, ...shop }, unit: { ...web.unit, ...waiting } }),
    [
      'unit web/0: asked for',
      'keep machine 0: units of application "shop" wait to be placed on it',
      'wait unit web/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'takes the machine along when the unit that waits for it goes too, in either order',
    'unit shop/0, unit web/0',
    explainView({ ...web, application: { ...web.application, ...shop }, unit: { ...web.unit, ...waiting } }),
    [
      'unit shop/0: asked for',
      'unit web/0: asked for',
      'machine 0: its last unit goes',
      'wait unit web/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end, instance to be released',
    ],
  ],
  [
    'leaves the instance where the harvest mode says so',
    'unit web/0',
    explainView(web),
    [
      'unit web/0: asked for',
      'machine 0: its last unit goes',
      'keep instance i-0: provisioner-harvest-mode is none',
      'wait unit web/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end',
    ],
    { harvest: 'none' },
  ],
  [
    'goes with the machine that was made for it',
    'unit web/0',
    explainView(web),
    [
      'unit web/0: asked for',
      'machine 0: its last unit goes',
      'wait unit web/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end, instance to be released',
    ],
  ],
  [
    'that nobody has deployed runs no hook, and a machine that was never started has nothing to release',
    'unit web/0',
    explainView({ ...web, unit: unit('web/0', '0', { deployed: false }), machine: machine('0', notStarted) }),
    ['unit web/0: asked for', 'machine 0: its last unit goes'],
  ],
  [
    'leaves a machine that was added by hand',
    'unit web/0',
    explainView({ ...web, machine: machine('0', kept) }),
    [
      'unit web/0: asked for',
      'keep machine 0: it is not removed with its last unit',
      'wait unit web/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'leaves a machine that others are on',
    'unit web/0',
    explainView({
      ...web,
      application: { ...application('web'), ...application('mysql') },
      unit: { ...unit('web/0', '0'), ...unit('mysql/0', '0') },
    }),
    [
      'unit web/0: asked for',
      'keep machine 0: it has units of application "mysql"',
      'wait unit web/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'leaves a machine with containers, and the one that runs the controller',
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
      'unit web/0: asked for',
      'unit web/1: asked for',
      'keep machine 0: it has containers',
      'keep machine 1: it runs the controller',
    ],
  ],
  [
    'takes its subordinates with it',
    'unit web/0',
    explainView({
      ...web,
      unit: { ...unit('web/0', '0', { deployed: false }), ...beside },
      machine: machine('0', { ...notStarted }),
    }),
    [
      'unit web/0: asked for',
      'unit log/0: subordinate to a unit of application "web" that goes',
      'machine 0: its last unit goes',
      'wait unit log/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'that is a subordinate is refused, also with force',
    'unit log/0',
    explainView({ ...web, unit: { ...unit('web/0', '0'), ...beside } }),
    [
      'no unit log/0: cannot destroy unit "log/0": unit is a subordinate, to remove use remove-relation. Note: this will remove all units of "log"',
    ],
    { force: true },
  ],
  ['that is not there is refused', 'unit web/7', explainView(web), ['no unit web/7: unit "web/7" not found']],
  [
    'whose hook has failed is waited for until that is resolved',
    'unit web/0',
    explainView({ ...web, machine: machine('0', kept), status: hookFailed('web/0') }),
    [
      'unit web/0: asked for',
      'keep machine 0: it is not removed with its last unit',
      'wait unit web/0: a hook has failed: resolve it, or use --force',
    ],
  ],
  [
    'loses its storage, but for what outlives it',
    'unit web/0',
    explainView({
      unit: unit('web/0', '0', { deployed: false }),
      'storage-attachment': { ...storage('data/0', true), ...storage('tmp/1', false) },
    }),
    [
      'unit web/0: asked for',
      'storage tmp/1: attached to unit "web/0"',
      'keep storage data/0: it outlives its unit',
    ],
  ],
  [
    'loses all of it when that is asked for',
    'unit web/0',
    explainView({
      unit: unit('web/0', '0', { deployed: false }),
      'storage-attachment': storage('data/0', true),
    }),
    ['unit web/0: asked for', 'storage data/0: attached to unit "web/0"'],
    { destroyStorage: true },
  ],
  [
    'takes with it what was dying and only it has held: the relation, and the other application',
    'unit web/0',
    explainView({
      application: { ...application('web'), ...application('mysql', dying(1)) },
      unit: unit('web/0', '0', { deployed: false }),
      relation: relation(1, 'web:db mysql:server', dying(1)),
      scope: inScope(1, 'web/0'),
    }),
    [
      'unit web/0: asked for',
      'relation 1: dying already, and nothing else holds it',
      'application mysql: dying already, and nothing else holds it',
    ],
  ],
  [
    'leaves what others hold too',
    'unit web/0',
    explainView({
      application: { ...application('web'), ...application('mysql', dying(1)) },
      unit: { ...unit('web/0', '0', { deployed: false }), ...unit('web/1', '1') },
      relation: relation(1, 'web:db mysql:server', dying(1)),
      scope: inScope(1, 'web/0', 'web/1'),
    }),
    ['unit web/0: asked for'],
  ],
  [
    'that is the last of a dying application ends it',
    'unit web/0',
    explainView({
      application: application('web', dying(1)),
      unit: unit('web/0', '0', { ...dying(1), deployed: false }),
    }),
    ['unit web/0: asked for', 'application web: dying already, and nothing else holds it'],
  ],
];

const applications: Case[] = [
  [
    'goes with its units, relations and offers; units elsewhere leave the relation',
    'application web',
    explainView({
      ...web,
      relation: db,
      scope: inScope(1, 'web/0', 'mysql/0', 'mysql/1'),
      offer: { shop: { name: 'shop', application: 'web', connections: [] } },
    }),
    [
      'application web: asked for',
      'unit web/0: unit of application "web"',
      'relation 1: relation of application "web"',
      'offer shop: offer of application "web"',
      'machine 0: its last unit goes',
      'wait unit web/0: hooks for leaving relations and stopping',
      'wait unit mysql/0 mysql/1: hooks for leaving relation "web:db mysql:server"',
      'wait machine 0: agent to end, instance to be released',
    ],
  ],
  [
    'that others use through an offer is refused, also with force',
    'application web',
    explainView({ ...web, offer: { shop: { name: 'shop', application: 'web', connections: ['3'] } } }),
    ['no application web: cannot destroy application "web": application is used by 1 offer'],
    { force: true },
  ],
  [
    'that is a subordinate goes without its principals',
    'application log',
    explainView({
      application: { ...application('web'), ...logger },
      unit: { ...unit('web/0', '0'), ...beside },
      relation: logs,
    }),
    [
      'application log: asked for',
      'unit log/0: unit of application "log"',
      'relation 2: relation of application "log"',
      'wait unit log/0: hooks for leaving relations and stopping',
    ],
  ],
];

const relations: Case[] = [
  [
    'is left by the units in its scope, which stay',
    'relation 1',
    explainView({ ...web, relation: db, scope: inScope(1, 'web/0', 'mysql/0') }),
    ['relation 1: asked for', 'wait unit web/0 mysql/0: hooks for leaving relation "web:db mysql:server"'],
  ],
  [
    'takes the subordinates that nothing else holds to their principals',
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
      'relation 2: asked for',
      'unit log/0: no relation to application "web" is left',
      'wait unit log/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'leaves subordinates that another relation holds',
    'relation 2',
    explainView({
      application: { ...application('web'), ...logger },
      unit: { ...unit('web/0', '0'), ...beside },
      relation: { ...logs, ...relation(3, 'log:more web:more', {}, 'container') },
    }),
    ['relation 2: asked for'],
  ],
  [
    'of peers is refused',
    'relation 4',
    explainView({ ...web, relation: relation(4, 'web:peers') }),
    ['no relation 4: cannot destroy relation "web:peers": is a peer relation'],
    { force: true },
  ],
];

const machines: Case[] = [
  [
    'with an alive unit is refused unless forced',
    'machine 0',
    explainView(web),
    ['no machine 0: machine 0 has unit "web/0" assigned (--force)'],
  ],
  [
    'takes its units and containers with it, forced',
    'machine 0',
    explainView({
      application: { ...application('web'), ...application('mysql') },
      unit: { ...unit('web/0', '0'), ...unit('mysql/0', '0/lxd/0') },
      machine: { ...machine('0'), ...machine('0/lxd/0', { parent: '0', ...notStarted }) },
    }),
    [
      'although machine 0 has unit "web/0" assigned',
      'although machine 0 is hosting container "0/lxd/0"',
      'machine 0: asked for',
      'unit web/0: on machine 0',
      'machine 0/lxd/0: container on machine 0',
      'unit mysql/0: on machine 0/lxd/0',
      'wait unit web/0 mysql/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end, instance to be released',
    ],
    { force: true },
  ],
  [
    'waits for units that are on their way out',
    'machine 0',
    explainView({ ...web, application: application('web', dying(1)), machine: machine('0', notStarted) }),
    [
      'machine 0: asked for',
      'unit web/0: dying already',
      'application web: dying already, and nothing else holds it',
      'wait unit web/0: hooks for leaving relations and stopping',
    ],
  ],
  [
    'leaves its instance running when that is asked for, or when no provider made it',
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
      'machine 0: asked for',
      'machine 1: asked for',
      'keep instance i-0: --keep-instance',
      'keep instance manual:: it was not made by the controller',
      'wait machine 0 1: agent to end',
    ],
    { keepInstance: true },
  ],
  [
    'on which waiting units are to be placed leaves them without a place',
    'machine 0',
    explainView({ application: shop, unit: waiting, machine: machine('0') }),
    [
      'machine 0: asked for',
      'keep unit shop/0: it is to be placed on machine 0, and cannot be then',
      'wait machine 0: agent to end, instance to be released',
    ],
  ],
  [
    'that runs the controller is refused, also with force',
    'machine 0',
    explainView({ machine: machine('0', { isController: true }) }),
    ['no machine 0: cannot remove machine 0: it runs the only controller'],
    { force: true },
  ],
  [
    'goes when its last unit was named before it',
    'unit web/0, machine 0',
    explainView({
      ...web,
      unit: unit('web/0', '0', { deployed: false }),
      machine: machine('0', { ...kept, ...notStarted }),
    }),
    ['unit web/0: asked for', 'machine 0: asked for'],
  ],
  [
    'that goes when it is empty goes with its last container',
    'machine 0/lxd/0',
    explainView({
      machine: { ...machine('0', notStarted), ...machine('0/lxd/0', { parent: '0', ...notStarted }) },
    }),
    ['machine 0/lxd/0: asked for', 'machine 0: its last unit goes'],
  ],
];

const several: Case[] = [
  [
    'a forced machine sets its subordinates dying, whatever asked for their principals before',
    'application web, machine 0, unit log/0',
    explainView({
      application: { ...application('web'), ...logger },
      unit: { ...unit('web/0', '0', { deployed: false }), ...beside },
      machine: machine('0'),
      relation: logs,
    }),
    [
      'application web: asked for',
      'unit web/0: unit of application "web"',
      'relation 2: relation of application "web"',
      'unit log/0: subordinate to a unit of application "web" that goes',
      'machine 0: its last unit goes',
      'wait unit log/0: hooks for leaving relations and stopping',
      'wait machine 0: agent to end, instance to be released',
    ],
    { force: true },
  ],
];

const models: Case[] = [
  [
    'goes with all that is in it',
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
      'model u: asked for',
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
      'model u: asked for',
      'instance i-7: in model "u"',
      'machine 0: in model "u"',
      'wait machine 0: agent to end, instance to be released',
    ],
    { keptInstances: ['i-7'] },
  ],
  [
    'instances that no machine has go with their model, each told once',
    'model u',
    explainView({
      stray: {
        'i-7': { instanceId: 'i-7', machine: '4', since: '2026-01-01T00:00:00Z' },
        'i-8': { instanceId: 'i-8', machine: '', since: '2026-01-01T00:00:00Z' },
      },
    }),
    ['model u: asked for', 'instance i-7 i-8: in model "u"'],
    { keptInstances: ['i-7'] },
  ],
];

const tables: readonly (readonly [name: string, cases: readonly Case[]])[] = [
  ['a unit', units],
  ['an application', applications],
  ['a relation', relations],
  ['a machine', machines],
  ['a model', models],
  ['several', several],
];
for (const [name, cases] of tables)
  describe(name, () => {
    for (const [rule, targets, refs, expected, options] of cases)
      test(rule, () => expect(lines(targets, refs, options)).toEqual(expected));
  });

test('of very many units, others have the loop in between, and one look at an application is enough', () => {
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
      // Of each unit none of these is there: the literal would look through all units for it.
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
