/** Bugs in upgrades of programs: what is verified, when a program is confirmed, and the way back. */
import type { Mutant } from './mutants.ts';

const programStore = ['main/controller/program-store.test.ts'];
const launcher = ['main/launch/controller.test.ts'];

export const mutantsOfUpgrades: readonly Mutant[] = [
  {
    name: 'the checksum of a file of a program is not verified',
    file: 'main/controller/program-store.ts',
    find: `if (actual !== sha256)`,
    replace: `if (actual === '')`,
    tests: programStore,
  },
  {
    name: 'a program is made of the files that are there',
    file: 'main/controller/program-store.ts',
    find: `throw cause.code === 'ENOENT' ? notFound('file of the program', name) : cause;`,
    replace: `if (cause.code !== 'ENOENT') throw cause;`,
    tests: programStore,
  },
  {
    name: 'a controller accepts changes before its program is confirmed',
    file: 'main/controller/serve.ts',
    find: `let hasBegun = false;`,
    replace: `let hasBegun = true;`,
    tests: ['main/controller/serve.test.ts'],
  },
  {
    name: 'an archive of the agent is taken whatever program is in it',
    file: 'agent/program/host.ts',
    find: `if (buildOf(join(unfinished, programName)) !== build) {`,
    replace: `if (buildOf(join(unfinished, programName)) === '') {`,
    tests: ['agent/program/host.test.ts'],
  },
  {
    name: 'a start of a program that is tried is not counted before it',
    file: 'main/launch/choose.ts',
    find: `if (state !== before) writeProgramState(file, state);`,
    replace: `if (state.failed !== before.failed) writeProgramState(file, state);`,
    tests: launcher,
  },
  {
    name: 'a controller goes back without its store',
    file: 'main/launch/choose.ts',
    find: `await restoreStore(dataDir, before.trying!.format!);`,
    replace: `void restoreStore;`,
    tests: launcher,
  },
  {
    name: 'a copy of the store is put back whether it was converted or not',
    file: 'main/launch/restore-store.ts',
    find: `if ((await foldedFormat(store)) <= format) return;`,
    replace: `await foldedFormat(store);`,
    tests: launcher,
  },
];
