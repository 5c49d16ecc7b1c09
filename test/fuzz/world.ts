/** A controller with a model that has entities of every kind, and its callers. */
import { randomUUID } from 'node:crypto';
import { connect } from '../../src/client/connect.ts';
import type { Connection } from '../../src/client/connection.ts';
import { hashPassword, hashSecret } from '../../src/controller/passwords.ts';
import { upload } from '../../src/testing/upload.ts';
import { testController, type TestController } from '../../src/testing/controller.ts';
import { createSimulatedProvider } from '../../src/providers/clouds/simulated/index.ts';
import type { Entities } from '../../src/core/kinds.ts';
import type { Reader } from '../../src/store/store.ts';
import type { Words } from '../../src/testing/fuzz/arguments.ts';

export type Role = 'admin' | 'stranger' | 'reader' | 'agent';
export const roles: readonly Role[] = ['admin', 'stranger', 'reader', 'agent'];

const machinesMax = 200;
const unitsMax = 500;
const password = 'sesame-sesame';
const secret = 'c2VjcmV0IG9mIGEgbWFjaGluZQ==';

export interface World extends AsyncDisposable {
  readonly controller: TestController;
  /** Uuid of the model; a destroyed one is replaced. */
  model(): string;
  view(): Reader<Entities>;
  /** Restores entities that calls have removed. */
  refresh(): Promise<void>;
  /** Opens a connection to the model, or to the controller. Undefined when the role has no entity to log in as. */
  open(role: Role, on: 'model' | 'controller'): Promise<Connection | undefined>;
  words: Words;
}

export async function createWorld(): Promise<World> {
  const controller = await testController(createSimulatedProvider(), { validate: true });
  const store = () => controller.running().store;
  const passwordHash = await hashPassword(password);
  let model = '';
  const view = (): Reader<Entities> => store().read().in(model);

  async function refresh(): Promise<void> {
    // Calls that create thousands of entities are tried too, but later calls run without these.
    const isLarge = view().count('machine') > machinesMax || view().count('unit') > unitsMax;
    if (isLarge) await destroy();
    if (isLarge || view().in('').get('model', model)?.life !== 'alive')
      model = await controller.addModel(`fuzz-${randomUUID().slice(0, 8)}`);
    await store().change((tx) => {
      for (const name of ['stranger', 'reader'])
        tx.put('user', name, {
          name,
          displayName: '',
          passwordHash,
          access: 'login',
          createdAt: tx.now,
          createdBy: 'admin',
          disabled: false,
        });
      tx.put('access', `reader ${model}`, { user: 'reader', model, access: 'read' });
      const space = tx.in(model);
      for (const [name, meta] of Object.entries(charms))
        if (!space.get('charm', `local:${name}-0`)) upload(space, name, meta);
    }, 'fuzz');
    const connection = await controller.connect(model);
    try {
      for (const name of Object.keys(charms)) await fill(connection, name);
      await connection
        .call('Application', 'AddRelation', { endpoints: ['web:db', 'mysql:server'] })
        .catch(() => undefined);
      await connection
        .call('MachineManager', 'AddMachines', {
          params: [{ base: { name: 'ubuntu', channel: '24.04/stable' }, jobs: ['JobHostUnits'] }],
        })
        .catch(() => undefined);
    } finally {
      await connection.close();
    }
  }

  async function destroy(): Promise<void> {
    const connection = await controller.connect();
    const models = [{ 'model-tag': `model-${model}`, 'destroy-storage': true, force: true, 'max-wait': 0 }];
    await connection.call('ModelManager', 'DestroyModels', { models }).catch(() => undefined);
    await connection.close();
  }

  async function fill(connection: Connection, name: string): Promise<void> {
    if (view().get('application', name)) return;
    await connection
      .call('Application', 'Deploy', {
        applications: [
          {
            application: name,
            'charm-url': `local:${name}-0`,
            'charm-origin': { source: 'local', base: { name: 'ubuntu', channel: '24.04/stable' } },
            'num-units': name === 'logging' ? 0 : 2,
          },
        ],
      })
      .catch(() => undefined);
  }

  /** The first machine that has an instance, with its password set to a known one. */
  async function agent(): Promise<{ tag: string; password: string; nonce: string } | undefined> {
    for (const { id, nonce, instance, life } of view().list('machine')) {
      if (nonce === undefined || !instance || life === 'dead') continue;
      await store().change((tx) => {
        const machine = tx.in(model).get('machine', id);
        if (machine) tx.in(model).put('machine', id, { ...machine, passwordHash: hashSecret(secret) });
      }, 'fuzz');
      return { tag: `machine-${id.replaceAll('/', '-')}`, password: secret, nonce };
    }
    return undefined;
  }

  return {
    controller,
    model: () => model,
    view,
    refresh,
    async open(role, on) {
      const options = controller.connectOptions(on === 'model' ? model : undefined);
      if (role === 'admin') return connect(options);
      const login = role === 'agent' ? await agent() : { tag: `user-${role}`, password };
      return login && connect({ ...options, login }).catch(() => undefined);
    },
    words: (member) => wordsFor(member, view(), model),
    [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose](),
  };
}

const charms = {
  mysql: { provides: { server: 'mysql' }, peers: { cluster: 'mysql-cluster' } },
  web: { requires: { db: 'mysql' } },
  logging: { subordinate: true, requires: { info: { interface: 'juju-info', scope: 'container' } } },
};

function wordsFor(member: string, view: Reader<Entities>, model: string): readonly string[] {
  const name = member.toLowerCase();
  const first = <T>(items: Iterable<T>, most = 5): T[] => {
    const taken: T[] = [];
    for (const item of items) if (taken.push(item) >= most) break;
    return taken;
  };
  const units = first(view.list('unit')).map((unit) => unit.name);
  const machines = first(view.list('machine')).map(({ id }) => id);
  const applications = first(view.list('application')).map((application) => application.name);
  const tags = [
    ...units.map((unit) => `unit-${unit.replaceAll('/', '-')}`),
    ...machines.map((id) => `machine-${id.replaceAll('/', '-')}`),
    ...applications.map((application) => `application-${application}`),
    `model-${model}`,
    'user-admin',
    'user-stranger',
    'cloud-test',
    'cloudcred-test_stranger_default',
  ];
  if (name.includes('tag') || name === 'entity' || name === 'receiver') return tags;
  if (name.startsWith('unit')) return [...units, ...tags];
  if (name.startsWith('application')) return [...applications, ...tags];
  if (name.startsWith('endpoint')) return ['web:db', 'mysql:server', 'web', 'mysql', 'db', ''];
  if (name.includes('machine') || name === 'container') return machines;
  if (name.includes('charm')) return Object.keys(charms).map((charm) => `local:${charm}-0`);
  if (name === 'id') return first(view.list('task')).map((task) => task.id);
  if (name === 'owner') return [...units, ...applications];
  if (name === 'names' || name === 'patterns')
    return [...units, ...applications, ...machines, 'relation', '0'];
  if (name === 'status') return ['active', 'idle', 'error', 'started', 'blocked'];
  if (name === 'range') return ['80/tcp', '8000-8100/udp', 'icmp'];
  if (name.includes('base') || name === 'channel') return ['24.04/stable', 'ubuntu@24.04'];
  return [];
}
