import { describe, expect, test } from 'vitest';
import { storageDoc, attachedTo } from '../../testing/storage-doc.ts';
import { jsonBytes } from '../json-bytes.ts';
import { checkLimit, limits } from '../limits.ts';
import { checkStorage, storagesOf, wantedCounts, type Pools } from './check-storage.ts';
import { parseDirective, parseSize, showSize } from './directive.ts';
import type { StorageDoc } from './document.ts';
import { isReady, nextAgentStep, nextCloudStep, type StorageOnMachine } from './plan.ts';
import { storageProviders } from './providers.ts';
import { checkIsFree, checkMayAttach, checkMayDetach, locationOf } from './rules.ts';
import { storageSpecs } from './spec.ts';
import { storageStatus } from './status.ts';

const providers = storageProviders({ type: 'local', releasable: true, importable: true });
const pools: Pools = {
  provider: (pool) => providers.find(({ type }) => type === (pool === 'fast' ? 'local' : pool)),
  preferred: { filesystem: 'fast' },
};
const specs = storageSpecs({
  data: { type: 'filesystem', 'minimum-size': '2G', location: '/srv/data' },
  logs: { type: 'filesystem', multiple: { range: '0-3' }, location: '/srv/logs/' },
});

describe('storage directives', () => {
  test.each([
    ['local,2,10G', { pool: 'local', count: 2, size: 10_240 }],
    ['10G', { size: 10_240, count: 1 }],
    ['3', { count: 3 }],
    ['1.5G,ebs-ssd', { pool: 'ebs-ssd', size: 1536, count: 1 }],
  ])('the directive %s is parsed', (text, directive) =>
    expect(parseDirective(text, 'data')).toEqual(directive),
  );

  test.each([
    ['', 'storage "data": empty part in ""'],
    ['1,2', 'storage "data": more than one count in "1,2"'],
    ['0', 'storage "data": count must be greater than zero, got "0"'],
    ['a_b', 'storage "data": cannot read "a_b" as a pool, a count or a size'],
    ['10Q', 'storage "data": cannot read "10Q" as a pool, a count or a size'],
  ])('the directive %j is refused', (text, message) =>
    expect(() => parseDirective(text, 'data')).toThrow(message),
  );

  test('sizes are parsed in MiB and shown in MiB or GiB', () => {
    expect(['1M', '1.1M', '2T', '5', 'G'].map(parseSize)).toEqual([1, 2, 2_097_152, undefined, undefined]);
    expect([500, 1024, 10_240, 1536].map(showSize)).toEqual(['500 MiB', '1.0 GiB', '10 GiB', '1.5 GiB']);
  });
});

describe('the storage that a charm declares', () => {
  test('has counts, minimum sizes and locations', () => {
    expect(specs['data']).toMatchObject({ min: 1, max: 1, minimumSize: 2048, location: '/srv/data' });
    expect(specs['logs']).toMatchObject({ min: 0, max: 3, minimumSize: 0, location: '/srv/logs' });
    expect(locationOf(specs['data']!, 'data/0')).toBe('/srv/data');
    expect(locationOf(specs['logs']!, 'logs/1')).toBe('/srv/logs/logs/1');
  });
  test.each([
    [{ type: 'disk' }, 'metadata: storage.x.type: expected "block" or "filesystem", got "disk"'],
    [{ type: 'block', location: '/dev/x' }, 'metadata: storage.x.location: a block storage has no location'],
    [{ type: 'filesystem', location: 'srv' }, 'expected an absolute path, got "srv"'],
    [{ type: 'filesystem', location: '/var/lib/juju/storage/x' }, 'is not allowed'],
    [{ type: 'filesystem', location: '/' }, 'is not allowed'],
    [{ type: 'filesystem', multiple: { range: '3-1' } }, 'expected a range such as 1-3 or 0+, got "3-1"'],
    [{ type: 'filesystem', 'minimum-size': 'big' }, 'expected a size such as 1G, got "big"'],
  ])('is refused for the declaration %j', (raw, message) =>
    expect(() => storageSpecs({ x: raw })).toThrow(message),
  );
});

describe('the storage of an application', () => {
  test('is by default what the charm needs, in the machine itself', () => {
    expect(checkStorage(specs, {}, pools)).toEqual({
      data: { pool: 'rootfs', provider: 'rootfs', detachable: false, size: 2048, count: 1 },
      logs: { pool: 'rootfs', provider: 'rootfs', detachable: false, size: 1024, count: 0 },
    });
  });
  test('takes the pool of the model for a directive without one', () => {
    expect(checkStorage(specs, { data: { count: 1 }, logs: { pool: 'tmpfs', count: 2 } }, pools)).toEqual({
      data: { pool: 'fast', provider: 'local', detachable: true, size: 2048, count: 1 },
      logs: { pool: 'tmpfs', provider: 'tmpfs', detachable: false, size: 1024, count: 2 },
    });
  });
  test.each([
    [{ disk: {} }, 'the charm has no storage "disk"'],
    [{ data: { count: 2 } }, 'storage "data" is singular, got 2'],
    [{ logs: { count: 4 } }, 'storage "logs": at most 3 instances supported, got 4'],
    [{ data: { size: 1024 } }, 'storage "data" needs at least 2.0 GiB, got 1.0 GiB'],
    [{ data: { pool: 'ebs' } }, 'pool "ebs" not found'],
  ])('is refused for the directives %j', (directives, message) =>
    expect(() => checkStorage(specs, directives, pools)).toThrow(message),
  );
  test('is a loop device for a block storage without a directive, and only of pools that make loop devices', () => {
    const check = (raw: object, pool?: string): unknown =>
      checkStorage(storageSpecs({ x: raw }), pool === undefined ? {} : { x: { pool } }, pools);
    expect(check({ type: 'block' })).toMatchObject({ x: { pool: 'loop', detachable: false, count: 1 } });
    expect(check({ type: 'filesystem' }, 'loop')).toMatchObject({ x: { provider: 'loop', count: 1 } });
    expect(() => check({ type: 'block' }, 'rootfs')).toThrow(
      'storage "x" is of type block, which pool "rootfs" (rootfs) does not make',
    );
  });
  test('is refused for loop devices only where machines cannot have them', () => {
    const without = storageProviders(undefined, 'machines of this host cannot have any');
    const check = (raw: object, directive?: object): unknown =>
      checkStorage(storageSpecs({ x: raw }), directive ? { x: directive } : {}, {
        provider: (pool) => without.find(({ type }) => type === pool),
      });
    const why =
      'storage "x" cannot be of pool "loop": it needs loop devices, and machines of this host cannot have any';
    expect(() => check({ type: 'block' })).toThrow(why);
    expect(() => check({ type: 'filesystem' }, { pool: 'loop' })).toThrow(why);
    expect(check({ type: 'filesystem' })).toMatchObject({ x: { pool: 'rootfs' } });
    // A charm that can do without is deployed.
    expect(check({ type: 'block', multiple: { range: '0+' } })).toMatchObject({ x: { count: 0 } });
  });
  test('is refused when the charm declares it shared', () => {
    const shared = storageSpecs({ x: { type: 'filesystem', shared: true } });
    expect(() => checkStorage(shared, {}, pools)).toThrow('which is not supported');
  });
});

test('the number of instances and the attributes of a pool are limited', () => {
  const names = Array.from({ length: 11 }, (_, n) => `s${n}`);
  const all = storageSpecs(
    Object.fromEntries(names.map((name) => [name, { type: 'filesystem', multiple: { range: '0+' } }])),
  );
  const each = (count: number) => Object.fromEntries(names.map((name) => [name, { count }]));
  expect(storagesOf(checkStorage(all, each(90), pools))).toBe(990);
  expect(storagesOf(wantedCounts(all, each(90)))).toBe(990);
  expect(limits.storagesOfNewUnit.max).toBeLessThan(1100);
  expect(() => checkStorage(all, each(100), pools)).toThrow('storage instances that a new unit gets: 1100');
  const many = { count: limits.storagesOfUnit.max + 1 };
  const specsOfMany = storageSpecs({ x: { type: 'filesystem', multiple: { range: '0+' } } });
  expect(() => checkStorage(specsOfMany, { x: many }, pools)).toThrow('at most 100 instances per unit');
  const attributes = { a: 'x'.repeat(limits.storageAttributes.max) };
  expect(() => checkLimit(limits.storageAttributes, jsonBytes(attributes))).toThrow('attributes of storage');
});

test('storage is attached to and detached from a unit only within the counts that the charm declares', () => {
  expect(() => checkMayAttach({ max: 1 }, 1)).toThrow('cannot attach, storage is singular');
  expect(() => checkMayAttach({ max: 3 }, 2, 2)).toThrow(
    'attaching 2 storage instances brings the total to 4, exceeding the maximum of 3',
  );
  expect(() => checkMayAttach({ max: 3 }, 2)).not.toThrow();
  expect(() => checkMayDetach({ min: 1, max: 1 }, 1)).toThrow('cannot detach, storage is singular');
  expect(() => checkMayDetach({ min: 1, max: 3 }, 1)).toThrow(
    'detaching 1 storage instance brings the total to 0, which is less than the minimum of 1',
  );
  expect(() => checkMayDetach({ min: 0, max: 1 }, 1)).not.toThrow();
});

const volume = (more: Partial<StorageDoc> = {}): StorageDoc =>
  storageDoc('data/0', { provider: 'local', detachable: true, ...more });
const used = attachedTo('db/0');
const made = { made: { providerId: '0', size: 1024 } };
const going = { attachment: { ...used.attachment!, life: 'dying' } } as const;

test('storage is attached to another unit when the first has detached it', () => {
  expect(() => checkIsFree(volume(used), 'db/1')).toThrow(
    'cannot attach storage owned by unit "db/0" to unit "db/1"',
  );
  expect(() => checkIsFree(volume({ machine: '0' }), 'db/1')).toThrow('still being detached from machine 0');
  expect(() => checkIsFree(volume({ ending: 'destroy' }), 'db/1')).toThrow('is being removed');
  expect(() => checkIsFree(volume(), 'db/1')).not.toThrow();
});

describe('the next storage step of the cloud', () => {
  test.each<[string, Partial<StorageDoc>, string | undefined, string | undefined]>([
    ['a new volume is created before its machine runs', { ...used }, undefined, 'create'],
    ['one that goes again is not', { ...going }, undefined, undefined],
    ['a volume waits for the instance', { ...used, ...made, machine: '0' }, undefined, undefined],
    ['and is attached to it', { ...used, ...made, machine: '0' }, 'i-0', 'attach'],
    [
      'an attachment under way is repeated',
      { ...used, ...made, machine: '0', instance: 'i-0' },
      'i-0',
      'attach',
    ],
    [
      'an attached volume stays',
      { ...used, ...made, machine: '0', instance: 'i-0', attached: true },
      'i-0',
      undefined,
    ],
    [
      'a volume is not detached under its mount',
      { ...made, machine: '0', instance: 'i-0', attached: true, mounted: '/srv' },
      'i-0',
      undefined,
    ],
    ['it is when it is unmounted', { ...made, machine: '0', instance: 'i-0' }, 'i-0', 'detach'],
    ['a volume of the cloud is taken', { adopting: 'x' }, undefined, 'adopt'],
    ['unless it is given up', { adopting: 'x', ending: 'release' }, undefined, 'destroy'],
    ['a free volume stays', { ...made }, undefined, undefined],
    ['a removed one is destroyed', { ...made, ending: 'destroy' }, undefined, 'destroy'],
    ['also one of which no creation is known', { ending: 'destroy' }, undefined, 'destroy'],
    ['but not while it is used', { ...made, ...used, ending: 'destroy', machine: '0' }, undefined, undefined],
    ['what the machine holds is not the cloud’s', { ...used, detachable: false }, 'i-0', undefined],
  ])('%s', (_, more, instance, step) => expect(nextCloudStep(volume(more), instance)).toBe(step));
});

describe('the next storage step of the agent', () => {
  const seen: StorageOnMachine = { ending: false, detachable: false, ready: false };
  const its = { unit: 'db/0', attachmentLife: 'alive' } as const;
  test.each<[string, Partial<StorageOnMachine>, string | undefined]>([
    ['new storage is made', { ...its }, 'make'],
    ['the cloud makes its own', { ...its, detachable: true }, undefined],
    ['what is ready is mounted', { ...its, ready: true }, 'mount'],
    ['once', { ...its, ready: true, mounted: '/srv' }, undefined],
    [
      'the hook runs before the end',
      { unit: 'db/0', attachmentLife: 'dying', ready: true, mounted: '/srv' },
      undefined,
    ],
    ['then it is unmounted', { ready: true, mounted: '/srv', ending: true }, 'unmount'],
    ['and destroyed', { ready: true, ending: true }, 'destroy'],
    ['unless it is kept', { ready: true }, undefined],
    ['or the cloud’s', { ready: true, ending: true, detachable: true }, undefined],
  ])('%s', (_, more, step) => expect(nextAgentStep({ ...seen, ...more })).toBe(step));
  test('the cloud’s volume is ready when it is attached', () => {
    expect(isReady(volume(made))).toBe(false);
    expect(isReady(volume({ ...made, attached: true }))).toBe(true);
    expect(isReady(storageDoc('data/0', made))).toBe(true);
  });
});

test.each<[Partial<StorageDoc>, string, string]>([
  [{ ...used }, 'pending', 'waiting for volume to be provisioned'],
  [{ ...used, machine: '0', problem: 'no room' }, 'pending', 'no room'],
  [{ ...used, ...made, machine: '0' }, 'attaching', ''],
  [{ ...used, ...made, machine: '0', mounted: '/srv' }, 'attached', ''],
  [{ ...going, ...made, machine: '0', mounted: '/srv' }, 'detaching', ''],
  [{ ...made, machine: '0' }, 'detaching', ''],
  [{ ...made }, 'detached', ''],
  [{ ...made, ending: 'destroy' }, 'destroying', ''],
  [{ adopting: 'x', problem: 'gone' }, 'pending', 'gone'],
  [{ ...made, ending: 'destroy', problem: 'busy' }, 'error', 'busy'],
  [
    { ...made, ending: 'destroy', problem: 'busy', retry: { attempt: 2, at: '2026-01-01T01:00:30.000Z' } },
    'error',
    'attempt 2 failed, next at 01:00:30Z: busy',
  ],
  [{ ...used, made: { ...made.made, lack: 'a folder' }, mounted: '/srv/data' }, 'attached', 'a folder'],
  [{ ...used, made: { ...made.made, lack: 'a folder' }, problem: 'busy' }, 'attaching', 'busy'],
])('the status of storage in case %#: %o', (more, status, message) =>
  expect(storageStatus(volume(more))).toMatchObject({ status, message }),
);
