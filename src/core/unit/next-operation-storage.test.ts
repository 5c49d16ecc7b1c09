/** Next operation of a unit whose storage comes, is away, or goes. */
import { describe, expect, test } from 'vitest';
import type { Hook } from './local-state.ts';
import { finishDeploy, startDeploy } from './advance.ts';
import { nextOperation } from './next-operation.ts';
import { remote, run, running, wait, type Case } from '../../testing/unit-states.ts';

const attached: Hook = { kind: 'storage-attached', storage: 'data/0', storageName: 'data' };
const detaching: Hook = { ...attached, kind: 'storage-detaching' };
const here = { name: 'data', life: 'alive', mounted: true } as const;
const away = { ...here, mounted: false };
const going = { ...here, life: 'dying' } as const;
const interrupted = running({
  op: { kind: 'hook', step: 'pending', hook: attached, hookId: 'h', failures: 0 },
});
const upgrading = running({
  op: {
    kind: 'deploy',
    charmUrl: 'local:web-0',
    upgrade: true,
    failed: { kind: 'hook', step: 'pending', hook: attached, hookId: 'h', failures: 1 },
  },
});
const halfDeployed = {
  installed: false,
  started: false,
  op: { kind: 'deploy', charmUrl: 'local:web-0', upgrade: false },
} as const;

test.each([attached, detaching])(
  'a unit whose $kind before install has failed takes another charm without force, and runs the hook again',
  (hook) => {
    const local = running({
      installed: false,
      started: false,
      storage: hook === detaching ? ['data/0'] : [],
      op: { kind: 'hook', step: 'pending', hook, hookId: 'h', failures: 1 },
    });
    const wanted = remote({
      charmUrl: 'local:web-1',
      storage: { 'data/0': hook === detaching ? going : here },
    });
    expect(nextOperation(local, wanted)).toEqual({
      kind: 'deploy',
      charmUrl: 'local:web-1',
      upgrade: false,
    });
    const charm = { charmUrl: 'local:web-1', charmModifiedVersion: 0 };
    const deployed = finishDeploy(startDeploy(local, 'local:web-1', false), charm, false);
    expect(nextOperation(deployed, { ...wanted, retryDue: true })).toEqual(run(hook));
    expect(nextOperation(local, { ...wanted, life: 'dying' })).toEqual(wait);
  },
);

test('a unit that failed to attach storage before install remembers this while and after it takes another charm', () => {
  const local = running({
    installed: false,
    started: false,
    op: { kind: 'hook', step: 'pending', hook: attached, hookId: 'h', failures: 1 },
  });
  const dying = remote({
    life: 'dying',
    charmUrl: 'local:web-1',
    storage: { 'data/0': going },
    retryDue: true,
  });
  const begun = startDeploy(local, 'local:web-1', false);
  expect(nextOperation(begun, dying)).toEqual({ kind: 'deploy', charmUrl: 'local:web-1', upgrade: false });
  const charm = { charmUrl: 'local:web-1', charmModifiedVersion: 2 };
  const deployed = finishDeploy(begun, charm, false);
  expect(nextOperation(deployed, dying)).toEqual(run(attached));
  expect(deployed).toMatchObject(charm);
});

describe('nextOperation with storage', () => {
  test.each<Case>([
    {
      name: 'storage that is mounted is attached',
      local: running(),
      remote: remote({ storage: { 'data/0': here } }),
      next: run(attached),
    },
    {
      name: 'storage that is not mounted yet holds nothing up',
      local: running(),
      remote: remote({ storage: { 'data/0': away }, configHash: 'c2' }),
      next: run({ kind: 'config-changed' }),
    },
    {
      name: 'storage that the charm never heard of is let go without a hook',
      local: running(),
      remote: remote({ storage: { 'data/0': going } }),
      next: { kind: 'release-storage', storage: 'data/0' },
    },
    {
      name: 'storage that the charm knows is let go by a hook',
      local: running({ storage: ['data/0'] }),
      remote: remote({ storage: { 'data/0': going } }),
      next: run(detaching),
    },
    {
      name: 'a unit waits for known storage that is away',
      local: running({ storage: ['data/0'] }),
      remote: remote({ storage: { 'data/0': away }, configHash: 'c2' }),
      next: wait,
    },
    {
      name: 'a unit that waits for storage lets go of what its charm never heard of',
      local: running({ storage: ['data/0'] }),
      remote: remote({ storage: { 'data/0': away, 'data/1': going } }),
      next: { kind: 'release-storage', storage: 'data/1' },
    },
    {
      name: 'an interrupted storage-attached is run again only where its storage is mounted',
      local: interrupted,
      remote: remote({ storage: { 'data/0': away } }),
      next: wait,
    },
    {
      name: 'storage whose storage-attached was interrupted is not let go while other storage is away',
      local: { ...interrupted, storage: ['data/1'] },
      remote: remote({ storage: { 'data/0': going, 'data/1': away } }),
      next: wait,
    },
    {
      name: 'an upgrade waits for the storage of the hook that failed before it',
      local: upgrading,
      remote: remote({ storage: { 'data/0': away } }),
      next: wait,
    },
    {
      name: 'an interrupted storage-attached is finished before its storage goes',
      local: interrupted,
      remote: remote({ storage: { 'data/0': going } }),
      next: run(attached),
    },
    {
      name: 'a dying unit that is half way to another charm before its install finishes that for storage that its charm knows',
      local: running({ ...halfDeployed, storage: ['data/0'] }),
      remote: remote({ life: 'dying', storage: { 'data/0': going } }),
      next: { kind: 'deploy', charmUrl: 'local:web-0', upgrade: false },
    },
    {
      name: 'a dying unit that is half way to another charm before its install leaves it where its charm knows no storage',
      local: running(halfDeployed),
      remote: remote({ life: 'dying', storage: { 'data/0': going } }),
      next: { kind: 'forget' },
    },
  ])('$name', ({ local, remote: now, next }) => expect(nextOperation(local, now)).toEqual(next));
});
