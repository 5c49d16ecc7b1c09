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
    kind: 'unit-state',
    limit: limits.newerState,
    make: (size) => ({ unit: 'a/0', charm: {}, newer: sized(size) as never }),
    named: 'state that is newer than a backup of unit a/0',
  }),
  of({
    kind: 'backup-schedule',
    limit: limits.backupFailure,
    make: (size) => ({
      every: 1,
      keep: 1,
      since: '',
      next: '',
      failure: { attempt: 1, at: '', since: '', reason: text(size) },
    }),
    named: 'reason why a backup failed of the schedule of backups',
  }),
  of({
    kind: 'backup-schedule',
    limit: limits.failedBackups,
    make: (size) => ({
      every: 1,
      keep: 1,
      since: '',
      next: '',
      failed: Array.from({ length: size }, () => ({ at: '', reason: '' })),
    }),
    named: 'failed backups of the schedule of backups',
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
    kind: 'payloads',
    limit: limits.payloads,
    make: (size) => ({ unit: 'a/0', payloads: keys(size) as never }),
    named: 'payloads of unit a/0',
  }),
  of({
    kind: 'annotation',
    limit: limits.annotationKeys,
    make: (size) => ({ tag: 'unit-a-0', values: keys(size) }),
    named: 'annotations of unit-a-0',
  }),
  of({
    kind: 'offer',
    id: 'o',
    limit: limits.offerEndpoints,
    make: (size) => ({ name: 'o', description: '', endpoints: keys(size) }),
    named: 'endpoints of an offer of offer o',
  }),
  of({
    kind: 'offer',
    id: 'o',
    limit: limits.offerDescription,
    make: (size) => ({ name: 'o', endpoints: {}, description: text(size - 2) }),
    named: 'description of an offer of offer o',
  }),
  of({
    kind: 'block',
    id: 'BlockChange',
    limit: limits.blockMessage,
    make: (size) => ({ type: 'BlockChange' as const, message: text(size) }),
    named: 'message of a block of block BlockChange',
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
    heldBy: () => 0,
    counts: 0,
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

  test(`${one.named} that is above the limit may stay as large, or shrink, and not grow`, () => {
    expect(() => put(one, make(limit.max + 5), make(limit.max + 5))).not.toThrow();
    expect(() => put(one, make(limit.max + 4), make(limit.max + 5))).not.toThrow();
    expect(() => put(one, make(limit.max + 6), make(limit.max + 5))).toThrow('exceed the limit');
  });
});

test('the id of a record may be as long as the limit, and not longer', () => {
  const named = (length: number): Case =>
    of({ kind: 'access', id: text(length), limit: limits.recordId, make: () => ({}), named: '' });
  expect(() => put(named(limits.recordId.max), { user: 'bob' })).not.toThrow();
  expect(() => put(named(limits.recordId.max + 1), { user: 'bob' })).toThrow(
    'id of the access: 1025 characters',
  );
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
      heldBy: () => 0,
      counts: 0,
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

test('the record of an operation has room for limits.operationTasks of tasks with long numbers', () => {
  const tasks = Array.from({ length: limits.operationTasks.max }, (_, n) => String(10_000_000 + n));
  const doc = { id: '1', summary: 's'.repeat(4096), enqueued: '', tasks };
  expect(Buffer.byteLength(JSON.stringify(doc))).toBeLessThan(limits.record.max);
});
