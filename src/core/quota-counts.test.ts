/** Limits for the number of records, and for the size of all records of a model. */
import { describe, expect, test } from 'vitest';
import type { Entities, Kind } from './kinds.ts';
import { limits, type Limit } from './limits.ts';
import { admit } from './quotas.ts';

interface Counted<P extends Kind = Kind> {
  readonly kind: P;
  readonly limit: Limit;
  readonly doc: Partial<Entities[P]>;
  /** The index and the value under which documents are counted. */
  readonly by: readonly [index: string, value: string];
  readonly named: string;
  /** Members of the document once it no longer counts. */
  readonly elsewhere?: Partial<Entities[P]>;
}
const counted = <P extends Kind>(one: Counted<P>): Counted => one as unknown as Counted;

const counts: Counted[] = [
  counted({
    kind: 'credential',
    limit: limits.credentialsOfUser,
    doc: { owner: 'bob' },
    by: ['owner', 'bob'],
    named: 'credentials of user bob',
  }),
  counted({
    kind: 'model',
    limit: limits.modelsOfUser,
    doc: { owner: 'bob', config: {} },
    by: ['owner', 'bob'],
    named: 'models of user bob',
    elsewhere: { owner: 'eve', config: {} },
  }),
  counted({
    kind: 'cloud',
    limit: limits.clouds,
    doc: {},
    by: ['', ''],
    named: 'clouds of the controller',
  }),
  counted({
    kind: 'external-user',
    limit: limits.externalUsers,
    doc: {},
    by: ['', ''],
    named: 'users of other domains of the controller',
  }),
  ...(['model', 'cloud', 'offer'] as const).map((object) =>
    counted({
      kind: object === 'model' ? 'access' : `${object}-access`,
      limit: limits.externalUsers,
      doc: { user: 'bob@external', [object]: 'x' },
      by: ['external', 'x'],
      named: `users of other domains of ${object} x`,
      elsewhere: { user: 'bob', [object]: 'x' },
    }),
  ),
  counted({
    kind: 'application',
    limit: limits.applications,
    doc: {},
    by: ['', ''],
    named: 'applications of the model',
  }),
  counted({
    kind: 'unit',
    limit: limits.units,
    doc: { ports: {} },
    by: ['', ''],
    named: 'units of the model',
  }),
  counted({ kind: 'machine', limit: limits.machines, doc: {}, by: ['', ''], named: 'machines of the model' }),
  counted({ kind: 'charm', limit: limits.charms, doc: {}, by: ['', ''], named: 'charms of the model' }),
  counted({
    kind: 'storage',
    limit: limits.storages,
    doc: {},
    by: ['', ''],
    named: 'storage instances of the model',
  }),
  counted({
    kind: 'storage-pool',
    limit: limits.storagePools,
    doc: {},
    by: ['', ''],
    named: 'storage pools of the model',
  }),
  counted({ kind: 'offer', limit: limits.offers, doc: {}, by: ['', ''], named: 'offers of the model' }),
  counted({
    kind: 'remote-application',
    limit: limits.remoteApplications,
    doc: { endpoints: [] },
    by: ['', ''],
    named: 'remote applications of the model',
  }),
  counted({
    kind: 'external-controller',
    limit: limits.externalControllers,
    doc: { caCert: '', addresses: [] },
    by: ['', ''],
    named: 'external controllers of the model',
  }),
  counted({
    kind: 'relation-end',
    limit: limits.relationEnds,
    doc: {},
    by: ['', ''],
    named: 'ends of relations to be told of the model',
  }),
  counted({ kind: 'space', limit: limits.spaces, doc: {}, by: ['', ''], named: 'spaces of the model' }),
  counted({ kind: 'subnet', limit: limits.subnets, doc: {}, by: ['', ''], named: 'subnets of the model' }),
  counted({
    kind: 'resource',
    limit: limits.resources,
    doc: { application: 'a', name: 'b' },
    by: ['', ''],
    named: 'resources of the model',
  }),
  counted({
    kind: 'resource',
    limit: limits.pendingResources,
    doc: { application: 'a', name: 'b', pendingId: 'c' },
    by: ['pending', 'pending'],
    named: 'announced resources of the model',
  }),
  counted({
    kind: 'relation',
    limit: limits.relationsOfApplication,
    doc: { key: 'a:x b:y', endpoints: [{ application: 'a' }, { application: 'b' }] as never },
    by: ['application', 'b'],
    named: 'relations of application b',
  }),
  counted({
    kind: 'relation',
    limit: limits.relationsOfConsumer,
    doc: {
      key: 'a:x b:y',
      endpoints: [],
      remote: {
        token: 't',
        application: 'b',
        offered: { offer: 'db', user: 'bob', model: 'm', ingress: [] },
      },
    },
    by: ['consumer', 'db bob'],
    named: 'relations of user bob by offer db',
  }),
  counted({
    kind: 'task',
    limit: limits.queuedTasksOfReceiver,
    doc: { receiver: 'a/0', receiverKind: 'unit', status: 'pending' },
    by: ['queue', 'a/0'],
    named: 'waiting tasks of unit a/0',
    elsewhere: { receiver: 'a/0', receiverKind: 'unit', status: 'running' },
  }),
  counted({
    kind: 'task',
    limit: limits.queuedTasks,
    doc: { receiver: 'a/0', receiverKind: 'unit', status: 'pending' },
    by: ['pending', 'pending'],
    named: 'waiting tasks of the model',
    elsewhere: { receiver: 'a/0', receiverKind: 'unit', status: 'running' },
  }),
];

describe.each(counts)('$named', ({ kind, limit, doc, by, named, elsewhere }) => {
  const add = (there: number, change: { before?: unknown; doc?: unknown } = {}): void =>
    admit({
      kind,
      id: 'x',
      doc: (change.doc ?? doc) as Entities[Kind],
      before: change.before as Entities[Kind] | undefined,
      size: 100,
      space: '',
      grows: 0,
      held: 0,
      heldBy: () => 0,
      counts: 0,
      isFull: (index, value, max) => index === by[0] && value === by[1] && there >= max,
      peek: () => undefined,
    });

  test(`${named} may be as many as the limit, and no more`, () => {
    expect(() => add(limit.max - 1)).not.toThrow();
    expect(() => add(limit.max)).toThrow(
      `${named}: ${limit.max + 1} entries exceed the limit of ${limit.max}`,
    );
  });

  test(`${named} may change where there are as many as the limit`, () => {
    expect(() => add(limit.max, { before: doc })).not.toThrow();
    if (!elsewhere) return;
    expect(() => add(limit.max, { before: elsewhere })).toThrow('exceed the limit');
    if (kind === 'task') expect(() => add(limit.max, { before: doc, doc: elsewhere })).not.toThrow();
  });
});

describe.each<[Kind, Limit, string, string, number]>([
  ['settings', limits.settingsOfConsumer, 'user bob', 'settings told by another model of user bob', 8],
  ['settings', limits.settingsOfConsumers, 'all', 'settings told by other models of the model', 2],
  [
    'secret-consumer',
    limits.readingsOfConsumer,
    'user bob',
    'readings of secrets by another model of user bob',
    8,
  ],
  [
    'secret-consumer',
    limits.readingsOfConsumers,
    'all',
    'readings of secrets by other models of the model',
    2,
  ],
])('%s under %j', (kind, limit, value, named, share) => {
  const add = (
    held: number,
    counts: number,
    { before, size }: { before?: number; size?: number } = {},
  ): void =>
    admit({
      kind,
      space: 'uuid',
      id: 'x',
      doc: { relation: '1', owner: 'x/0', toldBy: 'user bob', values: {} } as Entities[Kind],
      before: (before === undefined ? undefined : { toldBy: 'user bob' }) as Entities[Kind] | undefined,
      size: 100,
      grows: counts - (before ?? 0),
      counts,
      held: 0,
      heldBy: (index, one) => (index === 'toldBy' && one === value ? held : 0),
      isFull: () => false,
      peek: () => ({ config: size === undefined ? {} : { 'max-model-size': size } }) as never,
    });

  test(`${named} may together be as large as the limit, and no larger`, () => {
    expect(() => add(limit.max - 500, 500)).not.toThrow();
    expect(() => add(limit.max - 499, 500)).toThrow(
      `${named}: ${limit.max + 1} bytes exceed the limit of ${limit.max}`,
    );
  });

  test(`${named} may shrink, or stay as large, where they are larger than the limit`, () => {
    expect(() => add(limit.max + 9, 500, { before: 500 })).not.toThrow();
    expect(() => add(limit.max + 9, 400, { before: 500 })).not.toThrow();
    expect(() => add(limit.max + 9, 501, { before: 500 })).toThrow('exceed the limit');
  });

  test(`${named} are limited to a share of the model where that is smaller`, () => {
    expect(() => add(99_500, 500, { size: 100_000 * share })).not.toThrow();
    expect(() => add(99_501, 500, { size: 100_000 * share })).toThrow('exceed the limit of 100000');
    expect(() => add(limit.max, 1, { size: 0 })).toThrow('exceed the limit');
  });
});

describe('the limit of a model’s records', () => {
  const { max } = limits.modelBytes;
  interface Change {
    readonly kind: Kind;
    readonly doc?: object;
    readonly before?: object;
    readonly size?: number;
    readonly grows?: number;
  }
  /** A put into a model whose records already count for `held`. */
  const change = (held: number, one: Change, setting?: unknown, space = 'uuid'): void =>
    admit({
      kind: one.kind,
      space,
      id: 'x',
      doc: (one.doc ?? {}) as Entities[Kind],
      before: one.before as Entities[Kind] | undefined,
      size: one.size ?? 500,
      grows: one.grows ?? 1000,
      held,
      isFull: () => false,
      heldBy: () => 0,
      counts: 0,
      peek: (kind) =>
        (kind === 'model' ? { name: 'prod' } : { config: { 'max-model-size': setting } }) as never,
    });
  const made: Change = { kind: 'settings', doc: { relation: '0', owner: 'a/0', values: {} } };

  test('a model’s records may have as many bytes as the limit, and no more', () => {
    expect(() => change(max - 1000, made)).not.toThrow();
    expect(() => change(max - 999, made)).toThrow(
      `records of model prod: ${max + 1} bytes exceed the limit of ${max} (max-model-size); remove applications, units ` +
        'or charms that are not needed',
    );
  });

  test("a model’s records may have as many bytes as the controller's setting says; 0 is no limit", () => {
    expect(() => change(9000, made, '10000')).not.toThrow();
    expect(() => change(9001, made, '10000')).toThrow('records of model prod: 10001 bytes exceed');
    expect(() => change(max, made, 0)).not.toThrow();
  });

  test("a model’s limit does not apply to the controller's own space", () => {
    expect(() => change(max, made, undefined, '')).not.toThrow();
  });

  test.each<[what: string, change: Change, room: { reserve: boolean; none: boolean }]>([
    ['what shrinks', { ...made, before: {}, grows: -1 }, { reserve: true, none: true }],
    ['a record that keeps its size', { ...made, before: {}, grows: 0 }, { reserve: true, none: true }],
    ['longer settings', { ...made, before: {} }, { reserve: false, none: false }],
    [
      'a unit that becomes dying',
      { kind: 'unit', doc: { life: 'dying', ports: {} }, before: { ports: {} }, size: 9000 },
      { reserve: true, none: true },
    ],
    [
      'a unit',
      { kind: 'unit', doc: { life: 'alive', ports: {} }, size: 500 },
      { reserve: false, none: false },
    ],
    [
      'a change of a unit',
      { kind: 'unit', doc: { life: 'alive', ports: {} }, before: {}, size: 500 },
      { reserve: true, none: true },
    ],
    ['a short status', { kind: 'status', doc: { message: 'idle' } }, { reserve: true, none: true }],
    [
      'a longer status',
      { kind: 'status', doc: { message: 'idle' }, size: 1025 },
      { reserve: true, none: false },
    ],
    [
      'a very long status',
      { kind: 'status', doc: { message: 'idle' }, size: 9000, grows: 9000 },
      { reserve: false, none: false },
    ],
    [
      "an agent's state",
      { kind: 'unit-state', doc: { agent: {}, charm: {} }, before: { charm: {} }, size: 9000, grows: 100 },
      { reserve: true, none: false },
    ],
    [
      'more charm state',
      { kind: 'unit-state', doc: { agent: {}, charm: {} }, before: { charm: {} }, size: 9000, grows: 5000 },
      { reserve: false, none: false },
    ],
    ['a task', { kind: 'task', doc: { status: 'running' } }, { reserve: false, none: false }],
    [
      'the end of a task',
      { kind: 'task', doc: { status: 'completed' }, before: {}, size: 900 },
      { reserve: true, none: true },
    ],
  ])('a full model decides on %s', (_, one, { reserve, none }) => {
    const admits = (held: number): boolean => {
      try {
        change(held, one);
        return true;
      } catch {
        return false;
      }
    };
    expect(admits(max)).toBe(reserve);
    expect(admits(max + max / 8)).toBe(none);
  });
});
