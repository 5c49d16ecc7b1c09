import { expect, test } from 'vitest';
import { isThorough, some } from '../thorough.ts';
import { generateMigrationScript } from './migrations.ts';
import { relatedToAndFro } from './offer-scripts.ts';
import { runScript } from './run-script.ts';
import type { Script, Step } from './script.ts';

const by = 'alice';
const model = 0;
const deployed: readonly Step[] = [
  { atMs: 0, by, model, do: 'deploy', application: 'db', units: 1 },
  { atMs: 0, by, model, do: 'deploy', application: 'web', units: 1 },
  { atMs: 1_000, by, model, do: 'integrate', ends: ['web:db', 'db:server'] },
];
const scriptOf = (...steps: readonly Step[]): Script => ({
  seed: 1,
  hours: 0.1,
  places: 1,
  controllers: 2,
  steps: [...deployed, ...steps],
});

// At the end of each script all models are migrated once more, in peace, and each application is configured.
test('a model goes and comes back, and goes again with a machine that has not been there', async () => {
  const { violation, commands } = await runScript(
    scriptOf(
      { atMs: 120_000, by, model, do: 'migrate' },
      { atMs: 150_000, by, model, do: 'migrate' },
      { atMs: 180_000, by, model, do: 'add-unit', application: 'db', units: 1 },
    ),
  );
  expect(violation).toBeUndefined();
  expect(commands.migrate).toEqual({ ok: 3, refused: 0, unknown: 0 });
});

test('a model stays where it is while the controllers do not reach each other', async () => {
  const { violation, commands } = await runScript(
    scriptOf(
      { atMs: 120_000, by, model, do: 'migrate' },
      { atMs: 120_100, blow: 'cut-controllers', forMs: 90_000 },
      { atMs: 260_000, by, model, do: 'config', application: 'db', option: 'n', value: '7' },
    ),
  );
  expect(violation).toBeUndefined();
  expect(commands.config).toEqual({ ok: 3, refused: 0, unknown: 0 });
});

test('models that are related go to and fro between controllers', async () => {
  const script: Script = { seed: 1, hours: 0.15, controllers: 3, steps: relatedToAndFro };
  const { violation, commands } = await runScript(script);
  expect(violation).toBeUndefined();
  expect(commands.migrate).toEqual({ ok: 7, refused: 0, unknown: 0 });
});

test.each(some([1, 2, 3], 1))('seed %i of migrations runs the same way twice', async (seed) => {
  const hours = isThorough ? 0.1 : 0.04;
  const script = generateMigrationScript({ seed, hours });
  const first = await runScript(script);
  expect(first.violation).toBeUndefined();
  expect((await runScript(script)).traceHash).toBe(first.traceHash);
});
