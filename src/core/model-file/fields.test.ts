/** Each key that a model file may have: what the plan says when it comes, changes, and goes with and without prune. */
import { expect, test } from 'vitest';
import {
  applied,
  changeLines,
  emptyLive,
  fileOfRaw,
  lineOf,
  planFile,
} from '../../testing/model-file/world.ts';
import { changesOf } from './changes.ts';
import type { LiveModel } from './plan.ts';

interface Field {
  /** The file with a value of the key; undefined: without the key. */
  readonly file: (value: unknown) => object;
  /** Two values. */
  readonly values: readonly [unknown, unknown];
  readonly add: readonly string[];
  readonly change: readonly string[];
  /** What goes with prune; without it, it is listed. */
  readonly remove: readonly string[];
  /** What the plan says of a change, and of a removal, that it does not make. */
  readonly stays?: {
    readonly add?: readonly string[];
    readonly change?: readonly string[];
    readonly remove?: readonly string[];
  };
}

const db = { charm: './mysql', num_units: 1 };
const root =
  (key: string, more: object = {}) =>
  (value: unknown): object => ({ applications: { db }, ...more, [key]: value });
const ofDb =
  (key: string, more: object = {}) =>
  (value: unknown): object => ({
    applications: { db: { ...db, ...more, [key]: value }, other: { charm: './mysql' } },
  });
const machine =
  (key: string) =>
  (value: unknown): object => ({
    applications: { db: { ...db, to: ['0'] } },
    machines: { '0': { [key]: value } },
  });
const secret =
  (key: string) =>
  (value: unknown): object => ({ applications: { db, other: db }, secrets: { pw: { [key]: value } } });
const offer =
  (key: string) =>
  (value: unknown): object => ({
    applications: { db: { ...db, offers: { data: { endpoints: ['db'], [key]: value } } } },
  });
const anyone = { 'expose-to-cidrs': ['0.0.0.0/0', '::/0'] };
const inside = { 'expose-to-cidrs': ['10.0.0.0/8'] };
const db0 = 'db/0 stays on machine 0';
const notMoved = 'and units are not moved';

const fields: Readonly<Record<string, Field>> = {
  settings: {
    file: root('settings'),
    values: [{ 'update-status-hook-interval': '2m' }, { 'update-status-hook-interval': '3m' }],
    add: ['add setting update-status-hook-interval'],
    change: ['change setting update-status-hook-interval value'],
    remove: ['remove setting update-status-hook-interval'],
  },
  constraints: {
    file: root('constraints'),
    values: ['mem=1G', 'mem=2G'],
    add: ['change model constraints constraints'],
    change: ['change model constraints constraints'],
    remove: ['change model constraints constraints'],
  },
  access: {
    file: root('access'),
    values: [{ bob: 'write' }, { Bob: 'read' }],
    add: ['add access bob'],
    change: ['change access Bob access'],
    remove: ['remove access bob'],
  },
  'storage-pools': {
    file: root('storage-pools'),
    values: [
      { fast: { provider: 'tmpfs', attributes: { size: '1' } } },
      { fast: { provider: 'tmpfs', attributes: { size: '2' } } },
    ],
    add: ['add storage-pool fast'],
    change: ['change storage-pool fast attributes.size'],
    remove: ['remove storage-pool fast'],
  },
  'storage-pools.provider': {
    file: (value) => root('storage-pools')(value && { fast: { provider: value } }),
    values: ['tmpfs', 'loop'],
    add: ['add storage-pool fast'],
    change: ['change storage-pool fast provider'],
    remove: ['remove storage-pool fast'],
  },
  secrets: {
    file: root('secrets'),
    values: [{ pw: {} }, { key: {} }],
    add: ['add secret pw'],
    change: ['add secret key', 'remove secret pw'],
    remove: ['remove secret pw'],
  },
  'secrets.description': {
    file: secret('description'),
    values: ['a', 'b'],
    add: ['change secret pw description'],
    change: ['change secret pw description'],
    remove: ['change secret pw description'],
  },
  'secrets.grants': {
    file: secret('grants'),
    values: [['db'], ['other']],
    add: ['change secret pw grants.db'],
    change: ['change secret pw grants.db grants.other'],
    remove: ['change secret pw grants.db'],
  },
  saas: {
    file: root('saas'),
    values: [{ far: { url: 'admin/other.mysql' } }, { near: { url: 'admin/other.mysql' } }],
    add: ['add saas far'],
    change: ['add saas near', 'remove saas far'],
    remove: ['remove saas far'],
  },
  'saas.url': {
    file: (value) => root('saas')(value && { far: { url: value } }),
    values: ['admin/other.mysql', 'admin/third.mysql'],
    add: ['add saas far'],
    change: ['change saas far url'],
    remove: ['remove saas far'],
  },
  relations: {
    file: root('relations', {
      applications: { db, other: db, blog: { charm: './wordpress', num_units: 1 } },
    }),
    values: [[['blog:db', 'db:db']], [['blog:db', 'other:db']]],
    add: ['add relation blog:db db:db'],
    change: ['remove relation blog:db db:db', 'add relation blog:db other:db'],
    remove: ['remove relation blog:db db:db'],
  },
  applications: {
    file: (value) => ({ applications: value ?? {} }),
    values: [{ db }, { other: { charm: './mysql' } }],
    add: ['add application db', 'add unit db/0'],
    change: ['add application other', 'remove application db'],
    remove: ['remove application db'],
  },
  num_units: {
    file: ofDb('num_units', {}),
    values: [2, 1],
    // Without a number, what others have scaled stays.
    add: ['add unit db/0', 'add unit db/1'],
    change: ['remove unit db/1'],
    remove: [],
  },
  base: {
    file: ofDb('base'),
    values: ['ubuntu@24.04', 'ubuntu@22.04'],
    add: [],
    change: ['change application db base'],
    remove: [],
  },
  to: {
    file: ofDb('to'),
    values: [['new'], ['lxd']],
    add: [],
    change: [],
    remove: [],
    stays: { change: [`${db0}: the file places it on lxd, ${notMoved}`] },
  },
  options: {
    file: ofDb('options'),
    values: [{ port: 1 }, { port: 2 }],
    add: ['change application db options.port'],
    change: ['change application db options.port'],
    remove: ['change application db options.port'],
  },
  'applications.constraints': {
    file: ofDb('constraints'),
    values: ['mem=1G', 'mem=2G'],
    add: ['change application db constraints'],
    change: ['change application db constraints'],
    remove: ['change application db constraints'],
  },
  annotations: {
    file: ofDb('annotations'),
    values: [{ x: '1', y: '1' }, { x: '2' }],
    add: ['change application db annotations.x annotations.y'],
    change: ['change application db annotations.x annotations.y'],
    remove: ['change application db annotations.x annotations.y'],
  },
  expose: {
    file: ofDb('expose'),
    values: [true, false],
    add: ['change application db exposed'],
    change: ['change application db exposed'],
    remove: ['change application db exposed'],
  },
  'exposed-endpoints': {
    file: ofDb('exposed-endpoints'),
    values: [{ '': anyone, db: inside }, { db: anyone }],
    add: ['change application db exposed exposed.db'],
    change: ['change application db exposed exposed.db'],
    remove: ['change application db exposed exposed.db'],
  },
  bindings: {
    file: ofDb('bindings'),
    values: [{ '': 'dmz', db: 'inner' }, { db: 'dmz' }],
    add: ['change application db bindings bindings.db'],
    change: ['change application db bindings bindings.db'],
    remove: ['change application db bindings bindings.db'],
  },
  trust: {
    file: ofDb('trust'),
    values: [true, false],
    add: ['change application db options.trust'],
    change: ['change application db options.trust'],
    remove: ['change application db options.trust'],
  },
  after: {
    file: ofDb('after'),
    values: [{ other: 'active' }, { other: 'active', third: 'active' }],
    add: ['change application db after.other'],
    change: ['change application db after.third'],
    remove: ['change application db after.other'],
  },
  require: {
    file: ofDb('require', { charm: './wordpress' }),
    values: [['db'], []],
    add: [],
    change: [],
    remove: [],
    stays: {
      add: ['db does not require db: requirements can be set only at deployment'],
      change: ['db still requires db: requirements can be set only at deployment'],
      remove: ['db still requires db: requirements can be set only at deployment'],
    },
  },
  offers: {
    file: ofDb('offers'),
    values: [{ data: { endpoints: ['db'] } }, { more: { endpoints: ['db'] } }],
    add: ['add offer data'],
    change: ['add offer more', 'remove offer data'],
    remove: ['remove offer data'],
  },
  'offers.endpoints': {
    file: (value) => (value === undefined ? { applications: { db } } : offer('endpoints')(value)),
    values: [['db'], ['admin']],
    add: ['add offer data'],
    change: ['change offer data endpoints'],
    remove: ['remove offer data'],
  },
  'offers.acl': {
    file: offer('acl'),
    values: [{ eve: 'consume' }, { Eve: 'read' }],
    add: ['change offer data access.eve'],
    change: ['change offer data access.Eve'],
    remove: ['change offer data access.eve'],
  },
  machines: {
    file: (value) => ({ applications: { db: { ...db, num_units: 0 } }, machines: value ?? {} }),
    values: [{ '0': {} }, { '0': {}, '1': {} }],
    add: ['add machine new 0'],
    change: ['add machine new 1'],
    remove: ['remove machine 0'],
  },
  'machines.annotations': {
    file: machine('annotations'),
    values: [{ x: '1', y: '1' }, { x: '2' }],
    add: ['change machine 0 annotations.x annotations.y'],
    change: ['change machine 0 annotations.x annotations.y'],
    remove: ['change machine 0 annotations.x annotations.y'],
  },
  'machines.base': {
    file: machine('base'),
    values: ['ubuntu@24.04', 'ubuntu@22.04'],
    add: [],
    change: [],
    remove: [],
    stays: {
      change: ['machine 0 keeps its base ubuntu@24.04: the file has ubuntu@22.04 for its machine 0'],
    },
  },
  'machines.constraints': {
    file: machine('constraints'),
    values: ['', 'mem=2G'],
    add: [],
    change: [],
    remove: [],
    stays: {
      change: ['machine 0 keeps its constraints (none): the file has mem=2048M for its machine 0'],
    },
  },
};

const made = (file: object): LiveModel => applied(emptyLive, planFile(file, emptyLive, { prune: true }));
const staysOf = (file: object, live: LiveModel): string[] =>
  planFile(file, live, { prune: true }).differences.map(({ text }) => text);

test.each(Object.entries(fields))(
  'the key %s: what is planned when it comes, changes and goes',
  (_, { file, values, add, change, remove, stays = {} }) => {
    const [without, first, second] = [undefined, ...values].map((value) => file(value)) as object[];
    const before = made(without!);
    expect(changeLines(planFile(first!, before, { prune: true }), before)).toEqual(add);
    expect(staysOf(first!, before)).toEqual(stays.add ?? []);

    const live = made(first!);
    expect(changeLines(planFile(first!, live, { prune: true }), live)).toEqual([]);
    expect(staysOf(first!, live)).toEqual([]);
    const changed = planFile(second!, live, { prune: true });
    expect(changeLines(changed, live)).toEqual(change);
    expect(staysOf(second!, live)).toEqual(stays.change ?? []);
    const after = applied(live, changed);
    expect(changeLines(planFile(second!, after, { prune: true }), after)).toEqual([]);

    const unpruned = planFile(without!, live);
    expect(changeLines(unpruned, live)).toEqual([]);
    expect(changesOf(unpruned.unpruned, live, unpruned).map(lineOf)).toEqual(remove);
    const pruned = planFile(without!, live, { prune: true });
    expect(changeLines(pruned, live)).toEqual(remove);
    expect(staysOf(without!, live)).toEqual(stays.remove ?? []);
    const left = applied(live, pruned);
    const again = planFile(without!, left, { prune: true });
    expect([changeLines(again, left), again.unpruned]).toEqual([[], []]);
    // What others made, or set since, is not taken away.
    const notOwned = { ...live, owned: new Set<string>() };
    expect(planFile(without!, notOwned, { prune: true }).steps).toEqual([]);
  },
);

/** Keys of which a plan says nothing: why. */
const saidNothingOf: Readonly<Record<string, string>> = {
  name: 'under it the model knows the file',
  bundle: 'the kind of a bundle',
  description: 'for readers of the file',
  series: 'an older name of base',
  'default-base': 'for applications and machines that are made',
  services: 'an older name of applications',
  scale: 'another name of num_units',
  channel: 'local charms have none',
  revision: 'local charms have none',
  requires_trust: 'another name of trust',
  resources: 'compared by their contents (on-controller.test.ts)',
  storage: 'a difference that takes a replacement (storage.test.ts)',
  refresh: 'how to change the charm, which no model keeps',
  charm: 'a refresh, or a replacement (plan-model.test.ts)',
  content: 'compared by checksums (plan-model.test.ts)',
  attributes: 'part of a pool, as provider is',
  devices: 'refused',
  plan: 'refused',
  placement: 'refused',
};

test('each key that the parser asks for is in the table, or it is said why not', () => {
  const asked = new Set<string>();
  /** A map of one entry that notes which keys are looked for. */
  const noted = (keys: Record<string, unknown>): object =>
    new Proxy(keys, {
      getOwnPropertyDescriptor(target, key) {
        if (!Object.hasOwn(target, key) || !['a', '0'].includes(String(key))) asked.add(String(key));
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
  fileOfRaw(
    noted({
      applications: noted({ a: noted({ charm: 'x', offers: { a: noted({ endpoints: ['b'] }) } }) }),
      machines: noted({ '0': noted({}) }),
      saas: noted({ a: noted({ url: 'admin/other.a' }) }),
      secrets: noted({ a: noted({}) }),
      'storage-pools': noted({ a: noted({ provider: 'tmpfs' }) }),
    }),
  );
  // Keys that only a store of bundles reads are not of a model.
  const ofStores = ['tags', 'documentation', 'docs', 'issues', 'source', 'website', 'type', 'variables'];
  const known = new Set([
    ...Object.keys(fields).flatMap((field) => field.split('.')),
    ...Object.keys(saidNothingOf),
    ...ofStores,
  ]);
  expect([...asked].filter((key) => !known.has(key))).toEqual([]);
  expect(asked.size).toBeGreaterThan(30);
});
