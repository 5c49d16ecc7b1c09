/** Bugs in the schedule and the seals of backups, and in what happens after a restore of one. */
import type { Mutant } from './mutants.ts';

const agent = ['restored', 'restored-storage'].map((name) => `agent/machine/${name}.test.ts`);
const documents = ['controller/transactions/restore.test.ts'];
const sealed = ['kit/sealed/sealed-stream.test.ts'];
const schedule = ['controller/workers/backup-scheduler.test.ts', 'core/backup-schedule/retention.test.ts'];

export const mutantsOfBackups: readonly Mutant[] = [
  {
    name: 'an agent removes the units that its restored model does not know',
    file: 'agent/machine/deployer.ts',
    find: `if (restored?.state === 'held') return this.#hold(restored.id, signal);`,
    replace: ``,
    tests: agent,
  },
  {
    name: 'a unit goes on after a restore before its storage is mounted again',
    file: 'agent/machine/deployer.ts',
    find: `if (!isReady(unit)) continue;`,
    replace: ``,
    tests: agent,
  },
  {
    name: 'a lease that a backup does not know is another unit’s at once after its restore',
    file: 'controller/transactions/agent/leadership.ts',
    find: `if (!args.holds && mayBeLed(tx)) throw denied();`,
    replace: ``,
    tests: ['controller/transactions/agent/leadership.test.ts'],
  },
  {
    name: 'hooks run while a restored model waits',
    file: 'agent/unit/restore-seen.ts',
    find: `restored.state !== 'held' && restored.id === known ? known : undefined`,
    replace: `restored.id`,
    tests: agent,
  },
  {
    name: 'a hook that was chosen before a restore is run after it',
    file: 'agent/unit/run-hook-operation.ts',
    find: `if (world.runsAfter() !== restore) return;`,
    replace: ``,
    tests: agent,
  },
  {
    name: 'a unit runs the hooks again that were committed after the backup',
    file: 'controller/transactions/agent/restored-units.ts',
    find: `accepting === 'keep' ? { ...rest, ...newer } : rest`,
    replace: `rest`,
    tests: documents,
  },
  {
    name: 'what the machine of a unit has kept is not told to a restored controller',
    file: 'agent/unit/kept-state.ts',
    find: `return kept?.restore === restore ? undefined : kept;`,
    replace: `return kept?.restore === "" ? kept : undefined;`,
    tests: agent,
  },
  {
    name: 'the machine keeps a status of a workload only after the controller was told it',
    file: 'agent/unit/statuses.ts',
    find: `    await this.#keepHere();`,
    replace: ``,
    tests: agent,
  },
  {
    name: 'the state of an agent that missed an answer replaces that of the backup',
    file: 'controller/transactions/agent/restored-units.ts',
    find: `if (isSame || isOlder) return;`,
    replace: `if (isSame) return;`,
    tests: documents,
  },
  {
    name: 'an acceptance that a crash has cut off is begun again otherwise',
    file: 'controller/transactions/change/restore.ts',
    find: `accepting !== undefined && accepting !== hooks`,
    replace: `false`,
    tests: documents,
  },
  {
    name: 'an acceptance ends the wait before all units have gone over',
    file: 'controller/backups/settle-restore.ts',
    find: `from < told.length; from += batch`,
    replace: `from < Math.min(batch, told.length); from += batch`,
    tests: documents,
  },
  {
    name: 'the plan of a restore takes what the cloud has not told for nothing newer',
    file: 'core/restore/plan-restore.ts',
    find: `if (!model.restored?.listed)`,
    replace: `if (false)`,
    tests: ['core/restore/plan-restore.test.ts'],
  },
  {
    name: 'a hook commits into a restored model before its operator has agreed',
    file: 'controller/transactions/agent/commit-hook.ts',
    find: `  refuseWhileHeld(tx);`,
    replace: ``,
    tests: documents,
  },
  {
    name: 'the instances that a restored model does not know are stopped',
    file: 'core/model/restored.ts',
    find: `isHeld(model) ? 'none' : mergedModelConfig`,
    replace: `mergedModelConfig`,
    tests: ['controller/workers/harvester.test.ts'],
  },
  {
    name: 'a number is given again after a restore',
    file: 'controller/transactions/change/hold-restored.ts',
    find: `next: next + count`,
    replace: `next`,
    tests: documents,
  },
  {
    name: 'a sealed stream may be cut off between two chunks',
    file: 'kit/sealed/sealed-stream.ts',
    find: `nonce[11] = isLast ? 1 : 0;`,
    replace: `nonce[11] = 0;`,
    tests: sealed,
  },
  {
    name: 'the schedule removes older backups before the new one was made and read back',
    file: 'controller/workers/backup-scheduler.ts',
    find: `      const made = (await this.#madeBefore(doc, backups)) ??`,
    replace: `      for (const { name } of scheduled(await backups.archives.list())) await backups.archives.remove(name);
      const made = (await this.#madeBefore(doc, backups)) ??`,
    tests: schedule,
  },
  {
    name: 'the schedule makes a backup again that a killed controller did not record',
    file: 'controller/workers/backup-scheduler.ts',
    find: `(await this.#madeBefore(doc, backups)) ?? `,
    replace: ``,
    tests: schedule,
  },
  {
    name: 'what a killed controller left of a backup stays until the next one',
    file: 'controller/workers/backup-scheduler.ts',
    find: `    await this.#sweep(backups);`,
    replace: ``,
    tests: schedule,
  },
  {
    name: 'a clock that is set back stops the backups until it is there again',
    file: 'core/backup-schedule/schedule.ts',
    find: `every) : every) ? undefined :`,
    replace: `every) : every) && false ? undefined :`,
    tests: schedule,
  },
  {
    name: 'an archive that is dated after the newest is kept in the place of newer ones',
    file: 'core/backup-schedule/retention.ts',
    find: `Number(isLater(a)) - Number(isLater(b)) || `,
    replace: ``,
    tests: schedule,
  },
  {
    name: 'the schedule removes backups that were made by hand',
    file: 'controller/workers/backup-scheduler.ts',
    find: `archives.filter(({ isScheduled }) => isScheduled)`,
    replace: `[...archives]`,
    tests: schedule,
  },
];
