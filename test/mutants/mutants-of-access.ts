/** Bugs in access and in blocks. */
import type { Mutant } from './mutants.ts';

const races = ['controller/server/access-races.test.ts'];

export const mutantsOfAccess: readonly Mutant[] = [
  {
    name: 'a change does not look again at the access of who asked for it',
    file: 'controller/server/guarded-store.ts',
    find: `      check(tx);`,
    replace: ``,
    tests: races,
  },
  {
    name: 'an admin of a model is judged before his change, not by it',
    file: 'controller/facades/shared/change-access.ts',
    find: `      check(one, tx);`,
    replace: ``,
    tests: races,
  },
  {
    name: 'who gets the name of a removed user has his connections',
    file: 'controller/server/access.ts',
    find: `return since === undefined || user?.createdAt === since ? user : undefined;`,
    replace: `return user;`,
    tests: races,
  },
  {
    name: 'guesses of a password are counted by the name as it was typed',
    file: 'controller/server/authenticate.ts',
    find: `user: userId(name), address: remote`,
    replace: `user: name, address: remote`,
    tests: races,
  },
  {
    name: 'a revocation takes away more than the level that it names',
    file: 'core/access/levels.ts',
    find: `  const below = ladder[rank(kind, level) - 1] ?? '';`,
    replace: `  const below = ladder[rank(kind, level) - 2] ?? '';`,
    tests: ['core/access/levels.test.ts'],
  },
  {
    name: 'a disabled superuser may do everything',
    file: 'core/access/access-of.ts',
    find: `  if (!isActive(user)) return '';`,
    replace: ``,
    tests: ['core/access/access-of.test.ts'],
  },
  {
    name: 'a block of removals lets models be destroyed',
    file: 'core/block/blocks.ts',
    find: `  destroy: ['BlockDestroy', 'BlockRemove', 'BlockChange'],`,
    replace: `  destroy: ['BlockDestroy', 'BlockChange'],`,
    tests: ['core/block/blocks.test.ts'],
  },
  {
    name: 'blocks are not looked at before a method runs',
    file: 'controller/server/refuse-blocked.ts',
    find: `  if (uuid) checkNotBlocked(reader.in(uuid), operation);`,
    replace: ``,
    tests: ['controller/facades/blocks.test.ts'],
  },
];
