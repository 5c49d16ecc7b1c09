/** Bugs in who may do what, and in what is disabled. */
import type { Mutant } from './mutant.ts';
import { disabledAgain, guestOfMoments } from './mutant-scripts.ts';

export const mutantsOfAccess: readonly Mutant[] = [
  {
    name: 'a block stops nothing',
    file: 'controller/server/refuse-blocked.ts',
    find: `if (uuid) checkNotBlocked(reader.in(uuid), operation);`,
    replace: `void uuid;`,
    steps: disabledAgain,
  },
  {
    name: 'a block does not stop what is under way',
    file: 'controller/server/dispatch.ts',
    find: `        refuseBlocked(reader, { model: modelUuid, operation });`,
    replace: ``,
    steps: disabledAgain,
  },
  {
    name: 'a model is destroyed in spite of its blocks',
    file: 'controller/transactions/end/destroy-model.ts',
    find: `  checkNotBlocked(space, 'destroy');`,
    replace: ``,
    steps: disabledAgain,
  },
  {
    name: 'readers of a model may write it',
    file: 'controller/server/access.ts',
    find: `{ kind: 'model', id: modelOf(reader, model) }, level)) return caller;`,
    replace: `{ kind: 'model', id: modelOf(reader, model) }, 'read')) return caller;`,
    steps: guestOfMoments,
  },
  {
    name: 'a revocation does not stop what is under way',
    file: 'controller/server/guarded-store.ts',
    find: `      check(tx);`,
    replace: ``,
    steps: guestOfMoments,
  },
];
