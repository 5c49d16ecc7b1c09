/** The small worlds that are explored. */
import { sayStep, type Command, type Ends } from './step.ts';
import type { SmallWorld } from './walk.ts';

const server: Ends = ['web:db', 'db:server'];
const info: Ends = ['log:info', 'web:juju-info'];
const dbInfo: Ends = ['log:info', 'db:juju-info'];
const sink: Ends = ['log:sink', 'db:sink'];

export const db = (units = 1): Command => ({ do: 'deploy', application: 'db', charm: 'db', units });
const web = (units = 1): Command => ({ do: 'deploy', application: 'web', charm: 'web', units });
export const log: Command = { do: 'deploy', application: 'log', charm: 'log', units: 0 };
export const integrate = (ends: Ends): Command => ({ do: 'integrate', ends });
export const wait: Command = { do: 'wait', ms: 10 };

/** db/0 on machine 0; web/0 with log/0 on machine 1; relations of either scope between all three, and db's peers. */
const related: readonly Command[] = [db(), web(), log, integrate(server), integrate(info), integrate(sink)];

/** Worlds that are empty when the first command comes. */
export const beginnings: readonly SmallWorld[] = [
  small([], [db(), { do: 'remove-application', application: 'db' }]),
  small([], [db(), web(), integrate(server), remove('db'), { do: 'remove-unit', unit: 'web/0' }]),
  small([web()], [db(2), integrate(server), { do: 'remove-unit', unit: 'db/0' }, remove('db')]),
  small([log], [db(), integrate(dbInfo), remove('log'), { do: 'remove-unit', unit: 'db/0' }]),
  // The same relation and subordinate are created repeatedly.
  small(
    [db(), log],
    [integrate(dbInfo), { do: 'remove-relation', ends: dbInfo }, integrate(dbInfo), remove('db')],
  ),
  small([web()], [remove('web'), web(), remove('web'), web()]),
  // Machines are assigned and kept.
  small(
    [],
    [
      { do: 'add-machine' },
      web(),
      { do: 'remove-unit', unit: 'web/0' },
      { do: 'add-unit', application: 'web' },
      { do: 'remove-machine', machine: '0', force: 10 },
      wait,
    ],
  ),
  small(
    [web()],
    [
      { do: 'add-unit', application: 'web', to: '0' },
      { do: 'remove-unit', unit: 'web/0' },
      { do: 'remove-machine', machine: '0' },
      { do: 'remove-unit', unit: 'web/1' },
      { do: 'add-unit', application: 'web', to: '0' },
    ],
  ),
  small([], [db(), { do: 'remove-machine', machine: '0', keep: true, force: 0 }]),
  small([], [db(), { do: 'add-machine' }, { do: 'destroy-model', force: 10 }, wait]),
];

/** Worlds whose agents are lost permanently during any operation. */
export const losses: readonly SmallWorld[] = [
  ...[remove('web'), remove('db'), { do: 'remove-unit', unit: 'web/0' } as const].map((command) =>
    small(related, [
      command,
      { do: 'lose-agent', machine: '1' },
      { do: 'remove-machine', machine: '1', force: 10 },
      wait,
    ]),
  ),
  small(related, [
    { do: 'remove-unit', unit: 'web/0', force: 10 },
    { do: 'lose-agent', machine: '1' },
    wait,
    { do: 'remove-machine', machine: '1', force: 0 },
  ]),
  // World in which the earlier deadline counts, whichever was given first.
  small(related, [
    { do: 'lose-agent', machine: '1' },
    { do: 'remove-unit', unit: 'web/0', force: 30 },
    { do: 'remove-unit', unit: 'web/0', force: 10 },
    { do: 'remove-unit', unit: 'web/0', force: 20 },
    wait,
  ]),
  small(related, [{ do: 'lose-agent', machine: '1' }, { do: 'destroy-model', force: 10 }, wait]),
  small(related, [
    { do: 'lose-agent', machine: '1' },
    remove('db'),
    { do: 'remove-relation', ends: server, force: 0 },
    { do: 'remove-relation', ends: sink, force: 0 },
    { do: 'remove-machine', machine: '1', force: 0 },
  ]),
];

const inContainer: Command = { do: 'add-unit', application: 'web', container: true };
const onHost: Command = { do: 'add-unit', application: 'web', container: true, to: '0' };
const emptyHost: readonly Command[] = [web(0), { do: 'add-machine' }];

/** Worlds with units in containers, whose provisioner is their host's agent. */
export const containers: readonly SmallWorld[] = [
  small([], [web(0), inContainer, { do: 'remove-unit', unit: 'web/0' }]),
  small(emptyHost, [onHost, remove('web'), { do: 'remove-machine', machine: '0' }]),
  small([web(0)], [inContainer, onHost, { do: 'remove-unit', unit: 'web/0' }, remove('web')]),
  // The host has another unit, and a spare container.
  small(
    [web()],
    [
      { do: 'add-machine', container: true, to: '0' },
      { do: 'remove-unit', unit: 'web/0' },
      { do: 'remove-machine', machine: '0/lxd/0' },
    ],
  ),
  small([web(0), inContainer], [{ do: 'remove-machine', machine: '0', force: 10 }, wait]),
  small([web(0), inContainer], [{ do: 'remove-unit', unit: 'web/0', force: 10 }, wait]),
  small([web(0), inContainer], [{ do: 'remove-machine', machine: '0/lxd/0', keep: true, force: 0 }]),
  small([web(0), inContainer], [{ do: 'remove-machine', machine: '0', keep: true, force: 0 }]),
  small([web(0)], [inContainer, { do: 'destroy-model' }]),
  small([web(0)], [inContainer, { do: 'destroy-model', force: 10 }, wait]),
  // The container's agent is lost, alone or with its host's.
  small(
    [web(0), inContainer],
    [
      remove('web'),
      { do: 'lose-agent', machine: '0/lxd/0' },
      { do: 'remove-machine', machine: '0/lxd/0', force: 10 },
      wait,
    ],
  ),
  small(
    [web(0), inContainer, onHost],
    [
      { do: 'remove-unit', unit: 'web/0', force: 10 },
      { do: 'lose-agent', machine: '0' },
      wait,
      { do: 'remove-machine', machine: '0', force: 0 },
    ],
  ),
  small(
    [web(0), inContainer],
    [{ do: 'lose-agent', machine: '0' }, { do: 'destroy-model', force: 10 }, wait],
  ),
];

/** Worlds with several units of one application, each with a subordinate. */
export const crowds: readonly SmallWorld[] = [
  small([db(2), log, integrate(dbInfo)], [remove('db')]),
  small([db(2), log, integrate(dbInfo)], [{ do: 'remove-relation', ends: dbInfo }, remove('log')]),
  small([db(), web(2), integrate(server)], [remove('db'), { do: 'remove-unit', unit: 'web/0' }]),
];

const shop = (units = 1): Command => ({ do: 'deploy', application: 'shop', charm: 'shop', units });
const ship: Command = { do: 'deploy', application: 'ship', charm: 'ship', units: 0 };
const ring = (application: string, units = 1): Command => ({
  do: 'deploy',
  application,
  charm: 'ring',
  units,
});
const shopServer: Ends = ['shop:db', 'db:server'];
const shipSink: Ends = ['ship:sink', 'db:sink'];
const shipWeb: Ends = ['ship:info', 'web:juju-info'];
const shipShop: Ends = ['ship:info', 'shop:juju-info'];
const around: readonly Command[] = [integrate(['a:next', 'b:prev']), integrate(['b:next', 'a:prev'])];
const cut: Command = { do: 'remove-relation', ends: shopServer };
const mode = (to: 'declared' | 'all' | 'none'): Command => ({ do: 'require-endpoints', mode: to });

/** Worlds with applications that wait for requirements, and with waiting units. */
export const waiting: readonly SmallWorld[] = [
  // The order of deployment is wrong; a requirement is removed during placement, and comes back.
  small([db(0)], [shop(2), integrate(shopServer), cut, integrate(shopServer), remove('shop')]),
  small(
    [db(0), shop(), integrate(shopServer)],
    [
      cut,
      { do: 'add-unit', application: 'shop' },
      { do: 'remove-unit', unit: 'shop/0' },
      integrate(shopServer),
      remove('db'),
    ],
  ),
  small(
    [shop()],
    [{ do: 'remove-unit', unit: 'shop/0' }, db(0), integrate(shopServer), { do: 'destroy-model' }],
  ),
  // Placements name a machine that is in use or gone by then.
  small(
    [db(0), shop(0), { do: 'add-machine' }],
    [
      { do: 'add-unit', application: 'shop', to: '0' },
      integrate(shopServer),
      { do: 'add-unit', application: 'shop' },
      { do: 'remove-machine', machine: '0' },
      { do: 'remove-unit', unit: 'shop/0' },
    ],
  ),
  small(
    [db(0), shop(0), { do: 'add-machine' }],
    [
      { do: 'add-unit', application: 'shop', container: true, to: '0' },
      { do: 'add-unit', application: 'shop', container: true },
      { do: 'remove-machine', machine: '0', force: 0 },
      integrate(shopServer),
    ],
  ),
  // A subordinate has another requirement elsewhere (required-endpoints.md#cases).
  small(
    [db(0), web()],
    [ship, integrate(shipWeb), integrate(shipSink), { do: 'remove-unit', unit: 'web/0' }],
  ),
  small(
    [db(0), web(), ship, integrate(shipWeb)],
    [{ do: 'remove-relation', ends: shipWeb }, integrate(shipWeb), integrate(shipSink), remove('ship')],
  ),
  small(
    [db(0), web(), ship, integrate(shipSink), integrate(shipWeb)],
    [
      { do: 'remove-relation', ends: shipSink },
      { do: 'add-unit', application: 'web', to: '0' },
      integrate(shipSink),
      { do: 'remove-unit', unit: 'web/0', force: 0 },
    ],
  ),
  // World whose principal waits itself.
  small(
    [db(0), ship, integrate(shipSink)],
    [shop(), integrate(shipShop), integrate(shopServer), remove('db')],
  ),
  // The requirements form a cycle.
  small([], [ring('a'), ring('b'), ...around, remove('a')]),
  small([ring('a'), ring('b'), ...around], [remove('b'), { do: 'add-unit', application: 'a' }]),
  // Required endpoints are set by the model, or the operator.
  small([], [db(0), mode('all'), web(), mode('none'), { do: 'remove-unit', unit: 'web/0' }]),
  small(
    [db(0), web()],
    [mode('all'), { do: 'add-unit', application: 'web' }, integrate(server), mode('declared')],
  ),
  small(
    [db(0)],
    [
      { do: 'deploy', application: 'web', charm: 'web', units: 1, require: ['db'] },
      integrate(server),
      { do: 'remove-relation', ends: server, force: 0 },
      { do: 'destroy-model', force: 10 },
      wait,
    ],
  ),
];

/** web/0 on machine 0, shop/0 with ship/0 on machine 1, db without units: all requirements are met. */
const supplied: readonly Command[] = [
  db(0),
  shop(),
  ship,
  web(),
  integrate(shopServer),
  integrate(shipSink),
  integrate(shipShop),
];
const unsink: Command = { do: 'remove-relation', ends: shipSink };
const requirements: readonly Command[] = [
  cut,
  integrate(shopServer),
  unsink,
  integrate(shipSink),
  { do: 'remove-relation', ends: shipShop },
  integrate(shipWeb),
  { do: 'add-unit', application: 'shop' },
  { do: 'add-unit', application: 'shop', to: '1' },
  { do: 'remove-unit', unit: 'shop/0' },
  { do: 'remove-machine', machine: '1', force: 10 },
  remove('db'),
  remove('shop'),
  mode('none'),
  mode('all'),
];
/** Worlds in which a requirement is removed, followed by another command. */
export const losing: readonly SmallWorld[] = [cut, unsink].flatMap((first) =>
  requirements
    .filter((second) => second !== first)
    .map((second) => small(supplied, [first, second, wait, integrate(shopServer)])),
);

const store = (units = 1): Command => ({ do: 'deploy', application: 'store', charm: 'store', units });
const removeStore = (force: { readonly force?: number } = {}): Command => ({
  do: 'remove-unit',
  unit: 'store/0',
  ...force,
});
const another: Command = { do: 'add-unit', application: 'store', attach: 'data/0' };
const detach: Command = { do: 'detach-storage', storage: 'data/0' };

/** Worlds whose units have storage of the cloud, which moves between them, or ends. */
export const storages: readonly SmallWorld[] = [
  small([], [store(), removeStore(), another]),
  small([store()], [removeStore(), another, { do: 'remove-storage', storage: 'data/0', detach: true }]),
  small([store()], [detach, { do: 'attach-storage', storage: 'data/0', unit: 'store/0' }, removeStore()]),
  small([store(2)], [{ do: 'remove-unit', unit: 'store/1', destroy: true }, detach, removeStore()]),
  small([], [store(), { do: 'remove-storage', storage: 'data/0', detach: true, release: true }]),
  small([], [store(), { do: 'remove-application', application: 'store', destroy: true }]),
  // Worlds whose machine is removed by force, with its instance or without.
  small([store()], [{ do: 'remove-machine', machine: '0', force: 0 }, another]),
  small([store()], [{ do: 'remove-machine', machine: '0', keep: true, force: 0 }, another]),
  small(
    [store()],
    [
      { do: 'lose-agent', machine: '0' },
      removeStore({ force: 10 }),
      wait,
      { do: 'remove-machine', machine: '0', force: 0 },
      another,
    ],
  ),
  // Worlds whose model ends, with storage that units use and storage that none uses.
  ...(['destroy', 'release'] as const).flatMap((storage) => [
    small([], [store(), { do: 'destroy-model' }, { do: 'destroy-model', storage }]),
    small([store()], [removeStore(), { do: 'destroy-model', storage, force: 10 }, wait]),
  ]),
];

const imported: Command = { do: 'import-filesystem' };

/** Worlds with a volume that is in the cloud before the model. */
export const imports: readonly SmallWorld[] = [
  small([], [imported, { do: 'remove-storage', storage: 'data/0', release: true }, imported]),
  small([], [imported, { do: 'remove-storage', storage: 'data/0' }, imported]),
  small([store()], [detach, imported, { do: 'attach-storage', storage: 'data/1', unit: 'store/0' }]),
  small([store(0)], [imported, another, removeStore(), { do: 'destroy-model', storage: 'release' }]),
  small([store()], [imported, { do: 'destroy-model' }, { do: 'destroy-model', storage: 'destroy' }]),
];

const safe = (units = 1): Command => ({ do: 'deploy', application: 'safe', charm: 'safe', units });
const removeSafe: Command = { do: 'remove-unit', unit: 'safe/0' };
const here: Command = { do: 'attach-storage', storage: 'data/0', unit: 'safe/0' };

/** Worlds whose units have storage on their machines' own disks, with which it goes. */
export const ownDisks: readonly SmallWorld[] = [
  small([], [safe(), removeSafe]),
  small([safe()], [detach, here, removeSafe]),
  small([safe()], [detach, { do: 'remove-storage', storage: 'data/0' }]),
  small([safe(2)], [detach, { do: 'attach-storage', storage: 'data/0', unit: 'safe/1' }, removeSafe]),
  small([], [safe(), { do: 'remove-storage', storage: 'data/0', detach: true }]),
  small(
    [safe()],
    [{ do: 'remove-storage', storage: 'data/0', detach: true, release: true }, detach, removeSafe],
  ),
  small([safe()], [{ do: 'remove-machine', machine: '0', force: 0 }]),
  small([safe()], [{ do: 'lose-agent', machine: '0' }, { ...removeSafe, force: 10 }, wait]),
  small([], [safe(), { do: 'destroy-model' }]),
  small([safe()], [detach, { do: 'destroy-model' }]),
  // World whose unit never had a machine.
  small([], [{ ...safe(), require: ['db'] } as Command, removeSafe]),
  // Worlds with both kinds of storage, on machines of their own and in a container.
  small([safe(0)], [{ do: 'add-unit', application: 'safe', container: true }, removeSafe]),
  small([store(), safe()], [{ do: 'destroy-model', storage: 'release' }]),
];

/** Commands that an operator may give to the related applications. */
const commands: readonly Command[] = [
  remove('db'),
  remove('web'),
  remove('log'),
  { do: 'remove-unit', unit: 'db/0' },
  { do: 'remove-unit', unit: 'web/0' },
  { do: 'remove-relation', ends: server },
  { do: 'remove-relation', ends: info },
  { do: 'remove-relation', ends: sink },
  { do: 'remove-machine', machine: '1', force: 10 },
  { do: 'remove-unit', unit: 'web/0', force: 10 },
  { do: 'remove-application', application: 'log', force: 10 },
  { do: 'remove-relation', ends: info, force: 10 },
  { do: 'remove-application', application: 'web', force: 0 },
  { do: 'remove-machine', machine: '1', keep: true },
  integrate(info),
  { do: 'destroy-model' },
];

/** Worlds with every pair of commands in either order. */
export const pairs: readonly SmallWorld[] = commands.flatMap((first) =>
  commands
    .filter((second) => second !== first)
    .map((second) => {
      const forced = [first, second].some((one) => 'force' in one && one.force > 0);
      return small(related, [first, second, ...(forced ? [wait] : [])]);
    }),
);

export function small(begin: readonly Command[], script: readonly Command[]): SmallWorld {
  return { name: script.map(sayStep).join('; '), begin, script };
}

export function remove(application: string): Command {
  return { do: 'remove-application', application };
}
