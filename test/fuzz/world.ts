/** Controller with a model that has entities of every kind, and its callers. */
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
import { wrongChanges } from '../../src/testing/fuzz/authors.ts';
import { inconsistencies } from '../../src/testing/fuzz/consistency.ts';
import { OtherController, wrongRelations } from './crossing.ts';
import { namesFor, type Of } from './names.ts';

/** Users by their level for the model; a user without a level may only log in, and `nobody` not even that. */
const levels = { stranger: '', reader: 'read', writer: 'write', owner: 'admin', nobody: '' } as const;
type User = keyof typeof levels;
export type Role = 'admin' | 'agent' | 'other controller' | User;
/** Callers in turn: callers that get furthest come more often. */
export const roles: readonly Role[] = [
  'admin',
  'stranger',
  'admin',
  'reader',
  'agent',
  'admin',
  'writer',
  'owner',
  'agent',
  'nobody',
  'other controller',
];
const users = Object.keys(levels) as User[];

const machinesMax = 200;
const unitsMax = 500;
const password = 'sesame-sesame';
const secret = 'c2VjcmV0IG9mIGEgbWFjaGluZQ==';

export interface World extends AsyncDisposable {
  readonly controller: TestController;
  /** Returns the uuid of the model; a destroyed model is replaced. */
  model(): string;
  view(): Reader<Entities>;
  /** Restores entities that calls have removed. */
  refresh(): Promise<void>;
  /** Opens a connection to the model, or to the controller. Undefined when the role has no entity to log in as. */
  open(role: Role, on: 'model' | 'controller'): Promise<Connection | undefined>;
  words(of: Of): Words;
  readonly other: OtherController;
  /** Returns sentences about changes that their author may not make, and about records that do not fit together. */
  problems(): string[];
}

export async function createWorld(): Promise<World> {
  const controller = await testController(createSimulatedProvider(), { validate: true });
  const store = () => controller.running().store;
  const passwordHash = await hashPassword(password);
  const root = store().read().in('');
  const admin = root.get('user', 'admin')!;
  const cloud = root.get('cloud', root.get('controller', 'self')!.cloud)!;
  const { createdAt } = admin;
  let model = '';
  /** All models so far: removals that a user has forced are done in that user's name after the model was replaced. */
  const fuzzed = new Set<string>();
  const wrong: string[] = [];
  const levelOf = new Map(
    users.map((name) => [name, (uuid: string) => (fuzzed.has(uuid) ? levels[name] : '')]),
  );
  store().watch((commit) => {
    wrong.push(...wrongChanges(commit, store().read(), levelOf), ...wrongRelations(commit));
  });
  const view = (): Reader<Entities> => store().read().in(model);

  async function refresh(): Promise<void> {
    // Calls have changed admin's password, have taken admin's access, or have given the cloud settings that no new
    // model can have.
    await store().change((tx) => {
      tx.put('user', 'admin', admin);
      tx.put('cloud', cloud.name, cloud);
    }, 'fuzz');
    // Models with thousands of entities are replaced: calls that create so many are tried too, but later calls run
    // without them.
    const isLarge = view().count('machine') > machinesMax || view().count('unit') > unitsMax;
    if (isLarge) await destroy();
    if (isLarge || view().in('').get('model', model)?.life !== 'alive')
      fuzzed.add((model = await controller.addModel(`fuzz-${randomUUID().slice(0, 8)}`)));
    await store().change((tx) => {
      // Users are restored: calls have removed, renamed and disabled them and changed their access.
      for (const { name } of tx.list('user'))
        if (name.toLowerCase() !== name) tx.remove('user', name.toLowerCase());
      for (const name of users) {
        for (const { model: of } of tx.find('access', 'user', name)) tx.remove('access', `${name} ${of}`);
        for (const { cloud } of tx.find('cloud-access', 'user', name))
          tx.remove('cloud-access', `${name} ${cloud}`);
        for (const { offer } of tx.find('offer-access', 'user', name))
          tx.remove('offer-access', `${name} ${offer}`);
        tx.put('user', name, {
          name,
          displayName: '',
          passwordHash,
          access: name === 'nobody' ? '' : 'login',
          createdAt,
          createdBy: 'admin',
          disabled: false,
        });
        const access = levels[name];
        if (access !== '') tx.put('access', `${name} ${model}`, { user: name, model, access });
      }
      const space = tx.in(model);
      // Blocks are removed: a blocked model would answer nothing else.
      for (const one of [space, tx.in(controller.controllerModel)])
        for (const { type } of one.list('block')) one.remove('block', type);
      for (const [name, meta] of Object.entries(charms))
        if (!space.get('charm', `local:${name}-0`)) uploadWhole(space, name, meta);
    }, 'fuzz');
    const connection = await controller.connect(model);
    try {
      for (const name of Object.keys(charms)) await fill(connection, name);
      await connection
        .call('Application', 'AddRelation', { endpoints: ['web:db', 'mysql:server'] })
        .catch(() => undefined);
      await share(connection);
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

  /** Offers mysql, consumes it in the same model, and relates web with it. */
  async function share(connection: Connection): Promise<void> {
    const over = await controller.connect();
    try {
      await over
        .call('ApplicationOffers', 'Offer', {
          Offers: [
            {
              'model-tag': `model-${model}`,
              'offer-name': 'mysql',
              'application-name': 'mysql',
              'application-description': '',
              endpoints: { server: 'server' },
            },
          ],
        })
        .catch(() => undefined);
    } finally {
      await over.close();
    }
    const offer = view().get('offer', 'mysql');
    if (!offer) return;
    const name = view().in('').get('model', model)?.name;
    await connection
      .call('Application', 'Consume', {
        args: [
          {
            'source-model-tag': `model-${model}`,
            'offer-uuid': offer.uuid,
            'offer-url': `admin/${name}.mysql`,
            'offer-name': 'mysql',
            'application-alias': 'far',
          },
        ],
      })
      .catch(() => undefined);
    await connection
      .call('Application', 'AddRelation', { endpoints: ['web:db', 'far:server'] })
      .catch(() => undefined);
  }

  /** Returns the first machine that has an instance, with its password set to a known one. */
  async function agent(): Promise<{ tag: string; password: string; nonce?: string } | undefined> {
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

  function loginOf(role: Exclude<Role, 'admin'>): ReturnType<typeof agent> {
    if (role === 'agent') return agent();
    if (role === 'other controller') return Promise.resolve({ tag: 'user-jujuanonymous', password: '' });
    return Promise.resolve({ tag: `user-${role}`, password });
  }

  return {
    controller,
    other: new OtherController({ running: () => controller.running(), model: () => model, view }),
    model: () => model,
    view,
    refresh,
    async open(role, on) {
      const options = controller.connectOptions(on === 'model' ? model : undefined);
      if (role === 'admin') return connect(options);
      const login = await loginOf(role);
      return login && connect({ ...options, login }).catch(() => undefined);
    },
    words: (of) => namesFor(view(), model, of),
    problems: () => [...new Set([...wrong, ...inconsistencies(store().read())])],
    [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose](),
  };
}

/** Uploads a charm with options, an action and a resource beside its metadata. */
function uploadWhole(space: Parameters<typeof upload>[0], name: string, meta: object): void {
  const url = upload(space, name, { ...meta, resources: { blob: { type: 'file', filename: 'blob.tgz' } } });
  const description = '';
  space.put('charm', url, {
    ...space.get('charm', url)!,
    config: { text: { type: 'string', description, default: '' }, number: { type: 'int', description } },
    actions: {
      backup: {
        description,
        params: { type: 'object', properties: {} },
        parallel: false,
        executionGroup: '',
      },
    },
  });
}

const charms = {
  mysql: { provides: { server: 'mysql' }, peers: { cluster: 'mysql-cluster' } },
  web: { requires: { db: 'mysql' } },
  logging: { subordinate: true, requires: { info: { interface: 'juju-info', scope: 'container' } } },
};
