/**
 * `npm run ci [-- --only NAME…] [--list] [--full] [--minutes 75]`: the suites of CI, side by side where they may, each
 * with files and a log of its own. Ends with a table and `N passed, N failed`; exits 1 when anything failed. `.ci/run`
 * passes the result of `npm test` before: `--unit-log FILE --unit-status CODE`. Long suites run a part of their tests,
 * drawn anew; `GRIGRI_PART=N` in the environment repeats the part that an earlier run printed. With `--full` all suites
 * run whole.
 */
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { partMax, partOf, partVariable } from '../part.ts';
import { countsOf } from './counts.ts';
import { runSuite, type Result } from './run-suite.ts';
import { nextToStart } from './schedule.ts';
import { suites, type Suite } from './suites.ts';
import { sayResult, summary } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '75' },
    'unit-log': { type: 'string' },
    'unit-status': { type: 'string', default: '0' },
  },
});
// Errors of the output are ignored: even when nobody reads it any more, the suites are ended in order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

if (values.list) for (const suite of suites) console.log(`${suite.name.padEnd(14)}${suite.about}`);
else process.exitCode = await runAll(chosen());

function chosen(): readonly Suite[] {
  const names = [...values.only.flatMap((text) => text.split(',')), ...positionals];
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    console.error(
      `ERROR no suite ${unknown.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}`,
    );
    process.exit(2);
  }
  return names.length === 0 ? suites : suites.filter(({ name }) => names.includes(name));
}

async function runAll(all: readonly Suite[]): Promise<number> {
  const root = join(import.meta.dirname, '../..');
  const part = values.full ? undefined : (partOf() ?? randomInt(partMax));
  if (part !== undefined) console.log(`parts of long suites; again: ${partVariable}=${part}`);
  // The folder is not in tmpdir(), which may be private, or have a path too long for sockets below it.
  const folder = mkdtempSync('/tmp/gci-');
  // Suites run some programs as nobody, from files below the folder.
  chmodSync(folder, 0o755);
  const end = new AbortController();
  let exitCode = 0;
  for (const [name, code] of Object.entries(signals))
    process.on(name, () => {
      console.log(`${name}: ending what runs`);
      exitCode = code;
      end.abort();
    });
  const overall = setTimeout(
    () => {
      console.log(`${values.minutes} minutes are over: ending what runs`);
      end.abort();
    },
    Number(values.minutes) * 60_000,
  );

  const results = values['unit-log'] === undefined ? [] : [unitResult(values['unit-log'])];
  const host = { processors: availableParallelism(), memoryGiB: totalmem() / 2 ** 30 };
  const waiting = [...all];
  const running = new Map<Suite, Promise<void>>();
  while (running.size > 0 || (waiting.length > 0 && !end.signal.aborted)) {
    const next = end.signal.aborted ? undefined : nextToStart(waiting, [...running.keys()], host);
    if (!next) {
      await Promise.race(running.values());
      continue;
    }
    waiting.splice(waiting.indexOf(next), 1);
    console.log(`begins  ${next.name}`);
    const work = runSuite(next, { root, folder, part, signal: end.signal }).then((result) => {
      results.push(result);
      console.log(sayResult(result));
      running.delete(next);
    });
    running.set(next, work);
  }
  clearTimeout(overall);
  for (const { name } of waiting) results.push(notRun(name));

  const failed = results.filter(({ result }) => result !== 'passed');
  console.log(`\n${summary(results)}`);
  if (failed.length === 0) rmSync(folder, { recursive: true, force: true });
  return exitCode || (failed.length > 0 ? 1 : 0);
}

function unitResult(log: string): Result {
  const succeeded = values['unit-status'] === '0';
  return {
    suite: 'npm test',
    result: succeeded ? 'passed' : 'failed',
    seconds: 0,
    processorSeconds: 0,
    counts: countsOf(readFileSync(log, 'utf8'), succeeded),
    leftovers: [],
    log,
  };
}

function notRun(suite: string): Result {
  const counts = { passed: 0, failed: 1, skipped: 0 };
  return { suite, result: 'not run', seconds: 0, processorSeconds: 0, counts, leftovers: [], log: '' };
}
