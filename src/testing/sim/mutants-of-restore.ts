/** Bugs in what happens after a restore (backups.md#after-a-restore). */
import type { Mutant } from './mutant.ts';
import type { Step } from './script.ts';

/** Script in which the backup does not know a machine, and a unit on one that it knows. */
const olderState: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'deploy', application: 'cache', units: 1 },
  {
    atMs: 1_000,
    by: 'alice',
    model: 0,
    do: 'model-config',
    option: 'provisioner-harvest-mode',
    value: 'all',
  },
  { atMs: 120_000, blow: 'backup' },
  { atMs: 121_000, by: 'alice', model: 0, do: 'add-machine' },
  {
    atMs: 122_000,
    by: 'alice',
    model: 0,
    do: 'add-unit',
    application: 'cache',
    units: 1,
    where: { onMachine: 0 },
  },
  { atMs: 240_000, blow: 'restore', hooks: 'keep', lookMs: 90_000 },
];

/** Script in which the instance of a waiting model's machine is replaced, and the machine removed at once. */
const replacedWhileWaiting: readonly Step[] = [
  { atMs: 0, by: 'alice', model: 0, do: 'deploy', application: 'cache', units: 1 },
  { atMs: 120_000, blow: 'backup' },
  { atMs: 121_000, blow: 'restore', hooks: 'keep', lookMs: 180_000 },
  { atMs: 130_000, blow: 'lose', pick: 0, instance: 'stays' },
  { atMs: 220_000, by: 'alice', model: 0, do: 'reprovision-machine', pick: 0, anyway: true },
  {
    atMs: 240_000,
    by: 'alice',
    model: 0,
    do: 'remove-machine',
    pick: 0,
    fresh: false,
    keep: false,
    force: { maxWaitS: 0 },
  },
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
];
