import type { Mutant } from './mutant.ts';
import type { Step } from './script.ts';

const alice = { by: 'alice', model: 0 } as const;
/** The model of one unit chooses another secret backend again and again, while the server fails. */
const moved: readonly Step[] = [
  { atMs: 1, ...alice, do: 'deploy', application: 'db', units: 1 },
  ...Array.from({ length: 20 }, (_, n): Step => ({
    atMs: 90_000 + n * 15_000,
    ...alice,
    do: 'secret-backend',
    backend: n % 2 === 0 ? 'vault' : 'internal',
  })),
  { atMs: 110_000, trouble: 'vault-failed', rate: 0.3, forMs: 280_000 },
  { atMs: 110_000, trouble: 'vault-answer-lost', rate: 0.3, forMs: 280_000 },
];

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
    file: 'controller/transactions/shared/secrets.ts',
    find: `  tx.remove('secret-consumer', secretConsumerId(reading));`,
    replace: ``,
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
    name: 'a revision refers to a copy of its content that nobody has made',
    file: 'controller/workers/secret-drainer.ts',
    find: `      [{ key, content }],`,
    replace: `      [],`,
    hours: 0.2,
    steps: moved,
  },
  {
    name: 'the original of a content that has moved stays',
    file: 'controller/workers/content-eraser.ts',
    find: `before && before.content !== after?.content`,
    replace: `before && !after`,
    hours: 0.2,
    steps: moved,
  },
  {
    name: 'what a failed writer left in a backend stays',
    file: 'controller/secret-contents.ts',
    find: `      for (const key of keys) if (!isUsed(key)) this.#left.add(key);`,
    replace: ``,
    hours: 0.2,
    steps: moved,
  },
  {
    name: 'contents that a backend did not erase are forgotten',
    file: 'controller/workers/content-eraser.ts',
    find: `    for (const key of left) this.#suspects.add(key);`,
    replace: ``,
    hours: 0.2,
    steps: moved,
  },
  {
    name: 'the engine of a model that is gone stays in its backend',
    file: 'controller/workers/content-eraser.ts',
    find: `          for (const { id } of store.read().list('secret-backend')) this.#unread.add(id);`,
    replace: ``,
    hours: 0.2,
    steps: moved,
  },
  {
    name: 'a rotation that was done stays due',
    file: 'controller/transactions/agent/secret-times.ts',
    find: `const { rotating: _, nextRotate: _next, ...rest } = secret;`,
    replace: `const { nextRotate: _next, ...rest } = secret;`,
    hours: 1.5,
  },
];
