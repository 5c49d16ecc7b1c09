/**
 * `npm run bench [-- --quick] [-- --record]`: runs every benchmark, one after another, and prints the results. Exits 1
 * when a goal was missed, 2 when one could not be judged. `--record` adds the results to bench/history/results.jsonl.
 *
 * `--quick` tests whether the benchmarks work: sizes are too small for their goals to be judged. It exits 1 when a
 * benchmark did not end in time, or its figures are implausible.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatSection } from '../src/cli/format/tabwriter.ts';
import { exitCode, machine, show, type Result, type Verdict } from './floor.ts';

/** Benchmarks with the arguments for quick runs. */
const benchmarks: readonly (readonly [file: string, ...quick: string[]])[] = [
  ['store.ts', '--quick'],
  ['deploy-accept.ts', '--n', '2000', '--pairs', '11'],
  ['destroy.ts', '--n', '4000'],
  ['provision.ts', '--n', '500', '--rounds', '3'],
  ['converge.ts', '--quick'],
  ['requirements.ts', '--n', '2000', '--pairs', '5'],
  ['plan.ts', '--n', '1000', '--pairs', '11'],
  ['apply.ts', '--n', '400', '--pairs', '3'],
  ['what-if.ts', '--machines', '20', '--pairs', '1'],
  ['status.ts', '--n', '2000', '--pairs', '11'],
  ['hooktool.ts', '--quick'],
  ['secrets.ts', '--quick'],
  ['resources.ts', '--quick'],
  ['backup.ts', '--quick'],
  ['refresh.ts', '--n', '200', '--pairs', '5'],
  ['spaces.ts', '--n', '200'],
  ['cli-start.ts'],
  ['test-start.ts', '--quick'],
  ['turns.ts', '--quick'],
];

/** Time limit of one benchmark in seconds. */
const deadlineMaxS = 3600;
const quickDeadlineS = 300;

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
});
const folder = mkdtempSync(join(tmpdir(), 'grigri-bench-'));
try {
  process.exitCode = runAll();
} finally {
  rmSync(folder, { recursive: true });
}

function runAll(): number {
  const file = join(folder, 'results');
  const failed: string[] = [];
  // Additional certificates of the environment would be read at each start.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  for (const [name, ...quick] of benchmarks) {
    const before = readResults(file).length;
    const deadlineS = values.quick ? quickDeadlineS : deadlineMaxS;
    const { status } = spawnSync(
      process.execPath,
      ['--expose-gc', join(import.meta.dirname, name), ...(values.quick ? quick : [])],
      {
        stdio: 'inherit',
        env: { ...env, BENCH_RESULTS: file, BENCH_DEADLINE_S: String(deadlineS) },
        // The outer timeout ends a benchmark that is too busy to check its own deadline.
        timeout: (deadlineS + 10) * 1000,
        killSignal: 'SIGKILL',
      },
    );
    const results = readResults(file).slice(before);
    // The exit status must match the results: otherwise the benchmark broke.
    const broke = status !== exitCode(results.map((one) => one.verdict));
    if (broke || results.length === 0 || !results.every(isPlausible)) failed.push(name);
  }
  const results = readResults(file);
  console.log(`\n${table(results)}${machine()}`);
  if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
  if (values.record) record(results);
  console.log(`${benchmarks.length - failed.length} passed, ${failed.length} failed`);
  if (failed.length > 0) return 1;
  return values.quick ? 0 : exitCode(results.map((one): Verdict => one.verdict));
}

/** Checks that figures are positive and finite. The least may be 0: clocks of processor time have steps. */
function isPlausible({ ratio, floor, product }: Result): boolean {
  return [ratio, floor, product].every(
    ({ q1, median, q3 }) => 0 <= q1 && q1 <= median && median <= q3 && 0 < q3 && Number.isFinite(q3),
  );
}

function readResults(file: string): Result[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Result);
}

function table(results: readonly Result[]): string {
  const rows = [
    ['benchmark', 'ratio', 'goal', 'verdict', 'product'],
    ...results.map(({ name, ratio, goal, verdict, product, unit }) => [
      name,
      show(ratio),
      goal,
      verdict,
      `${show(product)} ${unit}`,
    ]),
  ];
  return formatSection({ rows });
}

function record(results: readonly Result[]): void {
  const history = join(import.meta.dirname, 'history');
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: history, encoding: 'utf8' });
  mkdirSync(history, { recursive: true });
  const common = { at: new Date().toISOString(), commit: stdout?.trim() ?? '', quick: values.quick };
  const lines = results.map((result) => `${JSON.stringify({ ...common, ...result })}\n`);
  appendFileSync(join(history, 'results.jsonl'), lines.join(''));
}
