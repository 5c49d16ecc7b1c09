/** Scripts for bugs of storage that random scripts show too seldom. */
import type { Step, StorageCommand, Trouble } from './script.ts';

const alice = { by: 'alice', model: 0 } as const;
const deployed = (units: number): Step => ({
  atMs: 1,
  ...alice,
  do: 'deploy',
  application: 'db',
  units,
  storage: 'simulated',
});

/** Script in which answers about new volumes are lost, and the storage is removed. */
export const unrecordedVolumes: readonly Step[] = [
  { atMs: 0, trouble: 'cloud-answer-lost', rate: 1, forMs: 8_000 },
  deployed(2),
  ...[5_000, 5_500].map((atMs): Step => ({
    atMs,
    ...alice,
    do: 'remove-storage',
    pick: 0,
    forced: true,
    release: false,
  })),
];
/** Script in which storage is detached while the agent mounts it. */
export const detachedWhileMounted: readonly Step[] = [
  deployed(3),
  { atMs: 50_000, trouble: 'message-late', rate: 0.8, forMs: 300_000 },
  ...Array.from({ length: 60 }, (_, n): readonly Step[] => {
    const atMs = 60_000 + n * 4_000;
    return [
      { atMs, ...alice, do: 'add-storage', application: 'db', pick: n % 3, pool: 'simulated' },
      { atMs: atMs + 500 * (n % 7), by: 'bob', model: 0, do: 'detach-storage', pick: n, forced: true },
    ];
  }).flat(),
];
/** Script in which machines reboot while mounting fails. */
export const rebootedWithoutMounts: readonly Step[] = [
  deployed(2),
  { atMs: 120_000, trouble: 'mount-failed', rate: 0.7, forMs: 200_000 },
  ...[125_000, 170_000, 215_000, 260_000].map((atMs, n): Step => ({ atMs, blow: 'reboot', pick: n % 2 })),
];
/** Script in which machines reboot, and the mounts of their storage hang. */
export const rebootedWithHungMounts: readonly Step[] = [
  deployed(2),
  { atMs: 120_000, trouble: 'mount-hung', rate: 0.7, forMs: 200_000 },
  ...[125_000, 170_000, 215_000, 260_000].map((atMs, n): Step => ({ atMs, blow: 'reboot', pick: n % 2 })),
];
/** Script in which machines with disks reboot, which gives the disks other devices, while messages are late. */
export const disksAfterReboots: readonly Step[] = [
  deployed(2),
  ...[60_000, 62_000, 64_000].map((atMs, n): Step => ({
    atMs,
    ...alice,
    do: 'add-storage',
    application: 'db',
    pick: n % 2,
    pool: 'loop',
  })),
  { atMs: 110_000, trouble: 'message-late', rate: 0.8, forMs: 300_000 },
  ...[125_000, 170_000, 215_000, 260_000].map((atMs, n): Step => ({ atMs, blow: 'reboot', pick: n % 2 })),
];
/** Returns steps in which calls about volumes are never answered, or much later. */
const silence = (atMs: number, forMs: number): Trouble & { atMs: number } => ({
  atMs,
  trouble: 'volume-hung',
  rate: 1,
  forMs,
});
/** Script in which the cloud does not answer half of the calls for new volumes, which are removed meanwhile. */
export const hungVolumes: readonly Step[] = [
  silence(0, 90_000),
  deployed(3),
  ...[100_000, 101_000].map((atMs): Step => ({
    atMs,
    ...alice,
    do: 'remove-storage',
    pick: 0,
    forced: true,
    release: false,
  })),
];
const several = (atMs: number, command: (n: number) => StorageCommand): readonly Step[] =>
  Array.from({ length: 9 }, (_, n) => ({ atMs: atMs + n * 2_000, ...alice, ...command(n) }));
const added = several(100_000, () => ({ do: 'add-storage', application: 'db', pick: 0, pool: 'simulated' }));
const letGo = (atMs: number): readonly Step[] =>
  several(atMs, () => ({ do: 'detach-storage', pick: 0, forced: true }));
const taken = (atMs: number): readonly Step[] =>
  several(atMs, () => ({ do: 'attach-storage', application: 'db', pick: 1, storage: 0 }));
/** Script in which the controller is killed while half of the volumes are being attached, and which are then let go. */
export const attachmentsAfterKills: readonly Step[] = [
  deployed(2),
  { ...silence(100_000, 60_000), rate: 0.5 },
  ...added,
  { atMs: 162_000, blow: 'crash-controller', step: 1 },
  ...letGo(170_000),
  ...taken(1_200_000),
];
/** Script in which calls hang while volumes are let go, which are then attached again. */
export const hungDetachments: readonly Step[] = [
  deployed(1),
  ...added,
  { ...silence(200_000, 60_000), rate: 0.7 },
  ...letGo(200_000),
  ...taken(600_000),
];
/** Script in which volumes of the cloud become storage, are used, released and imported again. */
export const imports: readonly Step[] = [
  deployed(1),
  ...[100_000, 104_000].map((atMs): Step => ({ atMs, ...alice, do: 'import-filesystem', pick: 0 })),
  ...[120_000, 124_000].map((atMs): Step => ({
    atMs,
    ...alice,
    do: 'attach-storage',
    application: 'db',
    pick: 0,
    storage: 0,
  })),
  ...[180_000, 181_000, 182_000].map((atMs, n): Step => ({
    atMs,
    ...alice,
    do: 'detach-storage',
    pick: n % 2,
    forced: true,
  })),
  ...[220_000, 222_000].map((atMs): Step => ({
    atMs,
    ...alice,
    do: 'remove-storage',
    pick: 0,
    forced: false,
    release: true,
  })),
  ...[250_000, 254_000].map((atMs, pick): Step => ({
    atMs,
    ...alice,
    do: 'import-filesystem',
    pick: 4 + pick,
  })),
  { atMs: 270_000, ...alice, do: 'attach-storage', application: 'db', pick: 0, storage: 0 },
];
/** Script in which answers about imports are lost. */
export const lostImports: readonly Step[] = [
  { atMs: 1_000, trouble: 'cloud-answer-lost', rate: 0.7, forMs: 60_000 },
  ...[2_000, 12_000, 22_000].map((atMs, pick): Step => ({ atMs, ...alice, do: 'import-filesystem', pick })),
];
/** The removal of machine 0 by force, without waiting. */
export const removedByForce = (atMs: number): Step => ({
  atMs,
  ...alice,
  do: 'remove-machine',
  pick: 0,
  fresh: false,
  keep: false,
  force: { maxWaitS: 0 },
});
/** Script in which the machine of a volume is lost, and an operator asks for another instance, by force too. */
export const volumesOfLostMachines: readonly Step[] = [
  deployed(1),
  { atMs: 120_000, blow: 'lose', pick: 0, instance: 'vanishes' },
  ...[false, true].map((anyway, n): Step => ({
    atMs: 220_000 + n * 20_000,
    ...alice,
    do: 'reprovision-machine',
    pick: 0,
    anyway,
  })),
];
/**
 * Script in which a machine with a volume is removed by force, its instance stays, and the volume goes to another unit,
 * and is then removed.
 */
export const volumesOfInstancesThatStay: readonly Step[] = [
  { atMs: 0, ...alice, do: 'model-config', option: 'provisioner-harvest-mode', value: 'none' },
  deployed(2),
  removedByForce(120_000),
  { atMs: 150_000, ...alice, do: 'attach-storage', application: 'db', pick: 0, storage: 0 },
  removedByForce(180_000),
  { atMs: 200_000, ...alice, do: 'destroy-model' },
];
/**
 * Script in which the controller is killed while the cloud does not answer about new volumes, which are removed before
 * the cloud makes them.
 */
export const volumesAfterKills: readonly Step[] = [
  silence(0, 90_000),
  deployed(6),
  { atMs: 95_000, blow: 'crash-controller', step: 1 },
  ...Array.from({ length: 6 }, (_, n): Step => ({
    atMs: 130_000 + n * 2_000,
    ...alice,
    do: 'remove-storage',
    pick: 0,
    forced: true,
    release: false,
  })),
];
/**
 * Script in which the controller is killed while the cloud does not answer about new volumes, and their model is
 * removed before the cloud makes them.
 */
export const volumesOfRemovedModels: readonly Step[] = [
  silence(0, 90_000),
  deployed(6),
  { atMs: 95_000, blow: 'crash-controller', step: 1 },
  { atMs: 130_000, ...alice, do: 'destroy-model', force: { maxWaitS: 10 } },
];
