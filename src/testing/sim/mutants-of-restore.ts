/** Bugs in what happens after a restore (backups.md#after-a-restore). */
import type { Mutant } from './mutant.ts';
import type { Step } from './script.ts';
import { removedByForce } from './storage-scripts.ts';

const alice = { by: 'alice', model: 0 } as const;

/** Script in which the backup does not know a machine, and a unit on one that it knows. */
const olderState: readonly Step[] = [
  { atMs: 0, ...alice, do: 'deploy', application: 'cache', units: 1 },
  {
    atMs: 1_000,
    ...alice,
    do: 'model-config',
    option: 'provisioner-harvest-mode',
    value: 'all',
  },
  { atMs: 120_000, blow: 'backup' },
  { atMs: 121_000, ...alice, do: 'add-machine' },
  {
    atMs: 122_000,
    ...alice,
    do: 'add-unit',
    application: 'cache',
    units: 1,
    where: { onMachine: 0 },
  },
  { atMs: 240_000, blow: 'restore', hooks: 'keep', lookMs: 90_000 },
];

/** Script in which the instance of a waiting model's machine is replaced, and the machine removed at once. */
const replacedWhileWaiting: readonly Step[] = [
  { atMs: 0, ...alice, do: 'deploy', application: 'cache', units: 1 },
  { atMs: 120_000, blow: 'backup' },
  { atMs: 121_000, blow: 'restore', hooks: 'keep', lookMs: 180_000 },
  { atMs: 130_000, blow: 'lose', pick: 0, instance: 'stays' },
  { atMs: 220_000, ...alice, do: 'reprovision-machine', pick: 0, anyway: true },
  removedByForce(240_000),
];

/** Script in which the backup does not know a storage that is mounted on a machine that it knows. */
const newerStorage: readonly Step[] = [
  { atMs: 0, ...alice, do: 'deploy', application: 'web', units: 2 },
  { atMs: 180_000, blow: 'backup' },
  { atMs: 181_000, ...alice, do: 'add-unit', application: 'web', units: 1, where: { onMachine: 0 } },
  { atMs: 300_000, blow: 'restore', hooks: 'keep', lookMs: 11_000 },
];

/** Script in which a volume is detached after the backup, which has it mounted. */
const detachedSince: readonly Step[] = [
  { atMs: 0, ...alice, do: 'deploy', application: 'db', units: 2, storage: 'simulated' },
  { atMs: 180_000, blow: 'backup' },
  { atMs: 181_000, ...alice, do: 'detach-storage', pick: 0, forced: false },
  { atMs: 300_000, blow: 'restore', hooks: 'keep', lookMs: 11_000 },
];

/** Script in which disks have other devices than the backup says, because their machines have rebooted since. */
const movedDisks: readonly Step[] = [
  { atMs: 0, ...alice, do: 'deploy', application: 'db', units: 1, storage: 'rootfs' },
  ...[60_000, 62_000].map((atMs): Step => ({
    atMs,
    ...alice,
    do: 'add-storage',
    application: 'db',
    pick: 0,
    pool: 'loop',
  })),
  { atMs: 240_000, blow: 'backup' },
  { atMs: 245_000, blow: 'reboot', pick: 0 },
  { atMs: 300_000, blow: 'restore', hooks: 'keep', lookMs: 11_000 },
  { atMs: 301_000, ...alice, do: 'config', application: 'db', option: 'n', value: '7' },
];

/** Script in which the leader is another one than the backup says, because the machines have rebooted since. */
const otherLeader: readonly Step[] = [
  { atMs: 0, ...alice, do: 'deploy', application: 'db', units: 2 },
  { atMs: 240_000, blow: 'backup' },
  { atMs: 241_000, blow: 'crash-agent', pick: 0, step: 1 },
  { atMs: 241_000, blow: 'reboot', pick: 0 },
  { atMs: 330_000, blow: 'restore', hooks: 'keep', lookMs: 11_000 },
];

/** Script in which a unit has a hook to run for a unit that the backup does not know. */
const newerCounterpart: readonly Step[] = [
  { atMs: 0, ...alice, do: 'deploy', application: 'cache', units: 2 },
  { atMs: 100, ...alice, do: 'deploy', application: 'web', units: 2 },
  { atMs: 1_000, ...alice, do: 'integrate', ends: ['cache', 'web'] },
  { atMs: 300_000, blow: 'backup' },
  { atMs: 301_000, ...alice, do: 'add-unit', application: 'web', units: 1 },
  { atMs: 346_000, blow: 'restore', hooks: 'keep', lookMs: 11_000 },
];

export const mutantsOfRestore: readonly Mutant[] = [
  {
    name: 'an instance that a backup does not know is stopped before its restore was accepted',
    file: 'core/model/restored.ts',
    find: `return isHeld(model) ? 'none' : mergedModelConfig`,
    replace: `return mergedModelConfig`,
    steps: olderState,
  },
  {
    name: 'a unit that a backup does not know is removed before its restore was accepted',
    file: 'agent/machine/deployer.ts',
    find: `if (restored?.state === 'held') return this.#hold(restored.id, signal);`,
    replace: ``,
    steps: olderState,
  },
  {
    name: 'a machine forgets the instance that another one has replaced',
    file: 'controller/transactions/instance/give-up-attempt.ts',
    find: `      givenUp: [...givenUp, nonce].slice(-limits.givenUpAttempts.max),`,
    replace: ``,
    steps: replacedWhileWaiting,
    hours: 0.1,
  },
  {
    name: 'a mount that a backup does not know stays after its restore',
    file: 'agent/machine/storage-worker.ts',
    find: `if (this.#listedAfter !== restored?.id) this.#toRestore = undefined;`,
    replace: ``,
    steps: newerStorage,
  },
  {
    name: 'a volume that was detached after the backup is not attached again after its restore',
    file: 'controller/backups/settle-restore.ts',
    find: `if (attached && attachment?.life === 'alive') told.push({ kind: 'storage', id });`,
    replace: ``,
    steps: detachedSince,
  },
  {
    name: 'a unit goes on after a restore before the disks of its machine are looked at',
    file: 'agent/machine/deployer.ts',
    find: `if (!isReady(unit)) continue;`,
    replace: ``,
    steps: movedDisks,
  },
  {
    name: 'another unit leads after a restore while the leader that the backup does not know may rely on its lease',
    file: 'controller/transactions/agent/leadership.ts',
    find: `if (!args.holds && mayBeLed(tx)) throw denied();`,
    replace: ``,
    steps: otherLeader,
  },
  {
    name: 'a hook for a unit that a backup does not know fails for good after its restore',
    file: 'controller/facades/machine-agent/relation-settings.ts',
    find: `!settings && !isForgotten`,
    replace: `!settings`,
    steps: newerCounterpart,
  },
];
