/**
 * `npm run bench [-- --quick] [-- --record]`: every benchmark, one after another, and what came of it. Exits 1 when a
 * goal was missed, 2 when one could not be judged. `--record` adds the results to bench/history/results.jsonl.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exitCode, machine, show, type Result, type Verdict } from './floor.ts';

/** With the arguments that make them quick. */
const benchmarks: readonly (readonly [file: string, ...quick: string[]])[] = [
  ['store.ts', '--quick'],
  ['deploy-accept.ts', '--n', '2000', '--pairs', '11'],
  ['destroy.ts', '--n', '10000'],
  ['provision.ts', '--n', '2000'],
  ['converge.ts', '--quick'],
  ['requirements.ts', '--n', '2000', '--pairs', '5'],
  ['status.ts', '--n', '2000', '--pairs', '11'],
  ['hooktool.ts', '--quick'],
  ['cli-start.ts'],
];

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
  // The certificates that an environment adds are read at each start.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  for (const [name, ...quick] of benchmarks) {
    const before = readResults(file).length;
    const { status } = spawnSync(
      process.execPath,
      ['--expose-gc', join(import.meta.dirname, name), ...(values.quick ? quick : [])],
      { stdio: 'inherit', env: { ...env, BENCH_RESULTS: file } },
    );
    // Its own end must be what its results say: otherwise it broke.
    const verdicts = readResults(file)
      .slice(before)
      .map((one) => one.verdict);
    if (verdicts.length === 0 || status !== exitCode(verdicts)) failed.push(name);
  }
  const results = readResults(file);
  console.log(`\n${table(results)}\n${machine()}`);
  if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
  if (values.record) record(results);
  return failed.length > 0 ? 1 : exitCode(results.map((one): Verdict => one.verdict));
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
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function record(results: readonly Result[]): void {
  const history = join(import.meta.dirname, 'history');
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: history, encoding: 'utf8' });
  mkdirSync(history, { recursive: true });
  const common = { at: new Date().toISOString(), commit: stdout?.trim() ?? '', quick: values.quick };
  const lines = results.map((result) => `${JSON.stringify({ ...common, ...result })}\n`);
  appendFileSync(join(history, 'results.jsonl'), lines.join(''));
}
