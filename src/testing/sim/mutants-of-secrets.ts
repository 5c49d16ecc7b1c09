import type { Mutant } from './mutant.ts';

export const mutantsOfSecrets: readonly Mutant[] = [
  {
    name: 'a unit is not told of new revisions of what it reads',
    file: 'controller/watchers/agent-secrets.ts',
    find: `if (before?.latest !== after?.latest) this.#mark(secret);`,
    replace: `void before;`,
    hours: 0.3,
  },
  {
    name: 'a unit leaves behind what it tracked of secrets',
    file: 'controller/transactions/secrets.ts',
    find: `  if (!isUnit || isLeft(`,
    replace: `  if (!isUnit || !isLeft(`,
    hours: 0.3,
  },
  {
    name: 'contents of removed revisions stay',
    file: 'controller/workers/content-eraser.ts',
    find: `          this.#suspects.add(before.content);`,
    replace: ``,
    hours: 0.3,
  },
  {
    name: 'a rotation that was done stays due',
    file: 'controller/transactions/secret-times.ts',
    find: `const { rotating: _, nextRotate: _next, ...rest } = secret;`,
    replace: `const { nextRotate: _next, ...rest } = secret;`,
    hours: 1.5,
  },
];
