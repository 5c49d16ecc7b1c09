import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isThorough } from '../testing/thorough.ts';

const root = resolve(import.meta.dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'grigri-kind-'));
afterAll(() => rmSync(copy, { recursive: true }));

const specification = `import { defineKind } from '${'../kind.ts'}';
import { type Ending, isForced, type Life } from '${'../life.ts'}';

interface GadgetDoc extends Ending {
  readonly name: string;
  readonly life: Life;
}

export const gadget = defineKind<GadgetDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  indexes: { force: isForced },
});
`;

/** Product files that the checks refuse until they handle the new kind. */
const named = [
  'src/controller/facades/lives/history-documents.ts',
  'src/controller/facades/lives/plan-in-turns.ts',
  'src/controller/transactions/end/clear.ts',
  'src/controller/transactions/end/skipped.ts',
  'src/controller/workers/force-clearer.ts',
  'src/core/explain/explain.ts',
  'src/core/explain/find-entity.ts',
  'src/core/explain/pending-removals.ts',
  'src/core/explain/short-form.ts',
  'src/core/explain/usage.ts',
  'src/core/living.ts',
  'src/core/removal/planner.ts',
];

// The thorough run only: the type checker reads the whole product each time.
if (isThorough)
  beforeAll(() => {
    for (const path of ['src', 'tsconfig.json', 'package.json', '.oxlintrc.json'])
      cpSync(join(root, path), join(copy, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    mkdirSync(join(copy, 'src/core/gadget'));
    writeFileSync(join(copy, 'src/core/gadget/document.ts'), specification);
    edit('src/core/kinds.ts', (text) =>
      text
        .replace(/^import .*$/m, `$&\nimport { gadget } from './gadget/document.ts';`)
        .replace('export const kinds = {', '$&\n  gadget,'),
    );
    edit('src/core/entity-ref.ts', (text) => text.replace('LivingKind =', `$& 'gadget' |`));
    edit('tsconfig.json', (text) =>
      text.replace(/"include".*/, '"include": ["src"], "exclude": ["**/*.test.ts", "src/testing"]'),
    );
  });

test.runIf(isThorough)(
  'Checks name every product file that has to say something of a new living kind',
  () => {
    expect(refused()).toEqual(named);
  },
  // The type checker takes minutes on a busy machine.
  600_000,
);

/** Product files of the copy that the type checker, or the linter's rule for switches over a union, refuses. */
function refused(): string[] {
  const types = run('tsc', '--noEmit');
  const switches = run('oxlint', '--type-aware', '--format=unix', 'src/core', 'src/controller');
  const files = [types, switches].flatMap((said) =>
    [...said.matchAll(/^(?:\.\/)?(src\/[^(:]+)[(:]\d+/gm)].map(([, file]) => file!),
  );
  return [...new Set(files)].filter((file) => !file.endsWith('.test.ts')).sort();
}

function run(command: string, ...args: string[]): string {
  return spawnSync(join(copy, 'node_modules/.bin', command), args, { cwd: copy, encoding: 'utf8' }).stdout;
}

function edit(path: string, change: (text: string) => string): void {
  const file = join(copy, path);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
}
