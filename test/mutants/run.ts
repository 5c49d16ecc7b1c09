/**
 * `npm run test:mutants-of-parts [-- NAME…]`: puts each bug of mutants.ts (40 of them, as a part) into the product and
 * runs the tests that must find it. Ends with 1 when one survives, or when a test fails without any.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutated } from '../../src/testing/sim/mutant-loader.ts';
import { mutants, type Mutant } from './mutants.ts';
import { drawPart, partOf, sayPart } from '../part.ts';
import { defined } from '../../src/core/defined.ts';

interface Report {
  readonly numFailedTests: number;
  readonly numPassedTests: number;
  readonly success: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'grigri-mutants-'));
const root = join(import.meta.dirname, '../..');
let runs = 0;
try {
  process.exitCode = (await hunt(process.argv.slice(2))) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

async function hunt(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !mutants.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new RangeError(`no mutant is called ${unknown.join(', ')}`);
  const part = names.length === 0 ? partOf() : undefined;
  const asked = names.length === 0 ? mutants : mutants.filter(({ name }) => names.includes(name));
  const hunted = drawPart(part, asked, { count: 40, nameOf: ({ name }) => name });
  if (part !== undefined) console.log(sayPart(part, hunted, asked, 'mutants'));
  for (const mutant of hunted) mutated(mutant);
  const tests = [...new Set(hunted.flatMap((mutant) => mutant.tests))];
  const sound = await run(tests);
  if (!sound?.success) {
    console.log('the tests fail without any mutant');
    return false;
  }
  let survived = 0;
  const left = hunted.values();
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (const mutant of left) if (!(await isFound(mutant))) survived++;
    }),
  );
  console.log(`${hunted.length - survived} passed, ${survived} failed`);
  return survived === 0;
}

/** Only a failing test finds a bug: a file that does not load proves nothing. */
async function isFound(mutant: Mutant): Promise<boolean> {
  const report = await run(mutant.tests, mutant.name);
  const found = (report?.numFailedTests ?? 0) > 0;
  console.log(`${found ? 'found   ' : 'SURVIVED'} ${mutant.name}`);
  return found;
}

async function run(tests: readonly string[], mutant?: string): Promise<Report | undefined> {
  const file = join(folder, `${runs++}.json`);
  const files = tests.map((test) => join('src', test));
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const child = spawn(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--config', config, '--reporter=json', `--outputFile=${file}`, ...files],
    {
      cwd: root,
      stdio: 'ignore',
      env: { ...process.env, ...defined({ GRIGRI_MUTANT: mutant || undefined }) },
    },
  );
  await new Promise((resolve) => child.once('close', resolve));
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
