import type { Mutant } from './mutant.ts';
import {
  detachedWhileMounted,
  disksAfterReboots,
  rebootedWithoutMounts,
  unrecordedVolumes,
  volumesOfInstancesThatStay,
  volumesOfLostMachines,
} from './storage-scripts.ts';

export const mutantsOfStorage: readonly Mutant[] = [
  {
    name: 'a removed unit takes the storage of the cloud with it',
    file: 'controller/transactions/end/detach-storage.ts',
    find: `const ended = destroy || !doc.detachable ? ending(doc) : doc;`,
    replace: `const ended = ending(doc, destroy ? 'destroy' : undefined);`,
    hours: 0.2,
  },
  {
    name: 'storage that may be mounted is taken from its machine when its unit leaves it',
    file: 'controller/transactions/end/detach-storage.ts',
    find: `const rest = isReady(doc) ? { ...left, mounted: doc.mounted ?? '' } : left;`,
    replace: `const rest = left;`,
    steps: detachedWhileMounted,
    hours: 0.1,
  },
  {
    name: 'a volume whose creation was not recorded is forgotten',
    file: 'controller/workers/storage-worker.ts',
    find: `const ids = made ? [made.providerId] : await this.#unrecorded(storage, source, signal);`,
    replace: `const ids = made ? [made.providerId] : [];`,
    steps: unrecordedVolumes,
  },
  {
    name: 'a volume whose record changed during its step is not looked at again',
    file: 'controller/workers/storage-worker.ts',
    find: `    this.#busy.delete(id);
    this.#add([id]);`,
    replace: `    this.#busy.delete(id);`,
  },
  {
    name: 'a volume stays attached to an instance that outlives its machine',
    file: 'controller/transactions/end/forget-storage.ts',
    find: `{ ...withoutMachine(tx, doc), ...defined({ instance }) }`,
    replace: `withoutMachine(tx, doc)`,
    steps: volumesOfInstancesThatStay,
    hours: 0.1,
  },
  {
    name: 'another instance replaces one that has a volume',
    file: 'core/machine/reprovision.ts',
    find: '    if (detachable) return `it has storage "${storage}" attached`;',
    replace: ``,
    steps: volumesOfLostMachines,
    hours: 0.1,
  },
  {
    name: 'hooks run while storage of their unit could not be mounted again',
    file: 'core/unit/next-operation.ts',
    find: `  if (remote.life === 'alive' && isStorageAway(local, remote)) return whileAway(local, remote);`,
    replace: ``,
    steps: rebootedWithoutMounts,
  },
  {
    name: 'a disk is said to have the device that it had before a reboot',
    file: 'agent/machine/storage-worker.ts',
    find: `if (now.path !== mounted || now.device !== record.device)`,
    replace: `if (mounted === '')`,
    steps: disksAfterReboots,
    hours: 0.1,
  },
  {
    name: 'an agent forgets to unmount what its unit has let go',
    file: 'core/storage/plan.ts',
    find: `  if (mounted !== undefined) return 'unmount';`,
    replace: ``,
    hours: 0.2,
  },
];
