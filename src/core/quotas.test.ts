import { describe, expect, test } from 'vitest';
import type { Entities, Kind } from './kinds.ts';
import { limits, type Limit } from './limits.ts';
import { admit } from './quotas.ts';

interface Case<P extends Kind = Kind> {
  readonly kind: P;
  readonly id?: string;
  readonly limit: Limit;
  /** A document whose measured part has the given size. */
  readonly make: (size: number) => Partial<Entities[P]>;
  /** The subject as the refusal names it. */
  readonly named: string;
}
const of = <P extends Kind>(one: Case<P>): Case => one as unknown as Case;

const text = (length: number): string => 'x'.repeat(length);
/** An object whose JSON has that size. */
const sized = (size: number): Record<string, string> => ({ a: text(size - '{"a":""}'.length) });
const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '']));

const sizes: Case[] = [
  of({
    kind: 'machine',
    id: '0',
    limit: limits.record,
    make: (size) => sized(size) as Partial<Entities['machine']>,
    named: 'record of machine 0',
  }),
  of({
    kind: 'unit-state',
    limit: limits.charmState,
    make: (size) => ({ unit: 'a/0', charm: many(size) }),
    named: 'charm state of unit a/0',
  }),
  of({
    kind: 'unit-state',
    limit: limits.charmStateKeys,
    make: (size) => ({ unit: 'a/0', charm: keys(size) }),
    named: 'keys of charm state of unit a/0',
  }),
  of({
    kind: 'unit-state',
    limit: limits.charmStateKey,
    make: (size) => ({ unit: 'a/0', charm: { [text(size)]: '' } }),
    named: 'key in charm state of unit a/0',
  }),
  of({
    kind: 'unit-state',
    limit: limits.charmStateValue,
    make: (size) => ({ unit: 'a/0', charm: { key: text(size) } }),
    named: 'value in charm state of unit a/0',
  }),
  of({
    kind: 'unit-state',
    limit: limits.agentState,
    make: (size) => ({ unit: 'a/0', agent: sized(size), charm: {} }),
    named: "agent's state of unit a/0",
  }),
  of({
    kind: 'settings',
    limit: limits.databag,
    make: (size) => ({ relation: '3', owner: 'a/0', values: sized(size) }),
    named: 'settings of a/0 in relation 3',
  }),
  of({
    kind: 'settings',
    limit: limits.databagKeys,
    make: (size) => ({ relation: '3', owner: 'a/0', values: keys(size) }),
    named: 'keys of settings of a/0 in relation 3',
  }),
  of({
    kind: 'leader-settings',
    limit: limits.databag,
    make: (size) => ({ application: 'a', values: sized(size) }),
    named: 'settings of the leader of a',
  }),
  of({
    kind: 'status',
    limit: limits.statusMessage,
    make: (size) => ({ kind: 'workload' as const, entity: 'a/0', message: text(size) }),
    named: 'status message of workload a/0',
  }),
  of({
    kind: 'status',
    limit: limits.statusData,
    make: (size) => ({ kind: 'workload' as const, entity: 'a/0', message: '', data: sized(size) }),
    named: 'status data of workload a/0',
  }),
  of({
    kind: 'annotation',
    limit: limits.annotationKeys,
    make: (size) => ({ tag: 'unit-a-0', values: keys(size) }),
    named: 'annotations of unit-a-0',
  }),
  of({
    kind: 'application',
    id: 'a',
    limit: limits.applicationConfig,
    make: (size) => ({ config: sized(size) }),
    named: 'config of application a',
  }),
  of({
    kind: 'application',
    id: 'a',
    limit: limits.olderConfigs,
    make: (size) => ({ older: { a: sized(size - '{"a":}'.length) } }),
    named: 'config of charms that units still run of application a',
  }),
  of({
    kind: 'application',
    id: 'a',
    limit: limits.rollout,
    make: (size) => ({
      rollout: {
        before: { config: sized(size - '{"before":{"config":,"resources":[]}}'.length), resources: [] },
      } as never,
    }),
    named: 'roll-out of application a',
  }),
  of({
    kind: 'model',
    limit: limits.modelConfig,
    make: (size) => ({ name: 'm', config: sized(size) }),
    named: 'model config of model m',
  }),
  of({
    kind: 'charm',
    id: 'local:a-0',
    limit: limits.charmRecord,
    make: (size) => ({ meta: sized(size - '[,{},{}]'.length) as never, config: {}, actions: {} }),
    named: 'metadata, options and actions of charm local:a-0',
  }),
  of({
    kind: 'unit',
    id: 'a/0',
    limit: limits.openPorts,
    make: (size) => ({ ports: { '': Array.from({ length: size }, (_, i) => `${i}/tcp`) } }),
    named: 'open port ranges of unit a/0',
  }),
  of({
    kind: 'task',
    id: '4',
    limit: limits.taskParameters,
    make: (size) => ({ parameters: sized(size) }),
    named: 'parameters of task 4',
  }),
  of({
    kind: 'task',
    id: '4',
    limit: limits.taskOutput,
    make: (size) => ({ output: sized(size) }),
    named: 'output of task 4',
  }),
  of({
    kind: 'task',
    id: '4',
    limit: limits.taskLog,
    make: (size) => ({
      log: [{ timestamp: '', message: text(size - '[{"timestamp":"","message":""}]'.length) }],
    }),
    named: 'log of task 4',
  }),
  of({
    kind: 'operation',
    id: '3',
    limit: limits.operationTasks,
    make: (size) => ({ tasks: Array.from({ length: size }, () => '1') }),
    named: 'tasks of operation 3',
  }),
];

/** Several values, none too long by itself. */
function many(size: number): Record<string, string> {
  const part = limits.charmStateValue.max - 100;
  const charm: Record<string, string> = {};
  let left = size - 2;
  for (let n = 100; left > 0; n++) {
    const comma = left === size - 2 ? 0 : 1;
    const length = Math.min(part, left - '"100":""'.length - comma);
    charm[String(n)] = text(length);
    left -= length + '"100":""'.length + comma;
  }
  return charm;
}

function put({ kind, id = '' }: Case, doc: unknown, before?: unknown): void {
  admit({
    kind,
    id,
    doc: doc as Entities[Kind],
    before: before as Entities[Kind] | undefined,
    size: JSON.stringify(doc).length,
    space: '',
    grows: 0,
    held: 0,
    isFull: () => false,
    peek: () => undefined,
  });
}

describe.each(sizes)('$named', (one) => {
  const { limit, make, named } = one;
  test(`${one.named} may be as large as the limit, and no larger`, () => {
    expect(() => put(one, make(limit.max))).not.toThrow();
    expect(() => put(one, make(limit.max + 1))).toThrow(
      `${named}: ${limit.max + 1} ${limit.unit} exceed the limit of ${limit.max}`,
    );
  });

  test(`${one.named} may stay too large, or shrink, where it already is, and not grow`, () => {
    expect(() => put(one, make(limit.max + 5), make(limit.max + 5))).not.toThrow();
    expect(() => put(one, make(limit.max + 4), make(limit.max + 5))).not.toThrow();
    expect(() => put(one, make(limit.max + 6), make(limit.max + 5))).toThrow('exceed the limit');
  });
});

test('the id of a record may be as long as the limit, and no longer', () => {
  const named = (length: number): Case =>
    of({ kind: 'access', id: text(length), limit: limits.recordId, make: () => ({}), named: '' });
  expect(() => put(named(limits.recordId.max), {})).not.toThrow();
  expect(() => put(named(limits.recordId.max + 1), {})).toThrow('id of the access: 1025 characters');
});

interface Counted<P extends Kind = Kind> {
  readonly kind: P;
  readonly limit: Limit;
  readonly doc: Partial<Entities[P]>;
  /** The index and the value under which documents are counted. */
  readonly by: readonly [index: string, value: string];
  readonly named: string;
  /** The same document after it no longer counts. */
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
      isFull: (index, value, max) => index === by[0] && value === by[1] && there >= max,
      peek: () => undefined,
    });

  test(`${named} may be as many as the limit, and no more`, () => {
    expect(() => add(limit.max - 1)).not.toThrow();
    expect(() => add(limit.max)).toThrow(
      `${named}: ${limit.max + 1} entries exceed the limit of ${limit.max}`,
    );
  });

  test(`${named} may change where there are that many`, () => {
    expect(() => add(limit.max, { before: doc })).not.toThrow();
    if (!elsewhere) return;
    expect(() => add(limit.max, { before: elsewhere })).toThrow('exceed the limit');
    if (kind === 'task') expect(() => add(limit.max, { before: doc, doc: elsewhere })).not.toThrow();
  });
});

describe('a limit that a controller setting overrides', () => {
  const grow = (setting: unknown, size: number): void =>
    admit({
      kind: 'unit-state',
      id: 'a/0',
      doc: { unit: 'a/0', lastHook: '', agent: {}, charm: many(size) },
      before: undefined,
      size,
      space: '',
      grows: 0,
      held: 0,
      isFull: () => false,
      peek: () => ({ config: { 'max-charm-state-size': setting } }) as never,
    });
  test('a limit that a controller setting overrides is that setting', () => {
    expect(() => grow('1000', 1000)).not.toThrow();
    expect(() => grow('1000', 1001)).toThrow('charm state of unit a/0: 1001 bytes exceed the limit of 1000');
  });
  test('a limit that a controller setting overrides is none when the setting is 0', () => {
    expect(() => grow(0, limits.charmState.max + 1)).not.toThrow();
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

  test("a model’s records may have what the controller's setting says; 0 is no limit", () => {
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

test('the record of an operation has room for limits.operationTasks of tasks with long numbers', () => {
  const tasks = Array.from({ length: limits.operationTasks.max }, (_, n) => String(10_000_000 + n));
  const doc = { id: '1', summary: 's'.repeat(4096), enqueued: '', tasks };
  expect(Buffer.byteLength(JSON.stringify(doc))).toBeLessThan(limits.record.max);
});
