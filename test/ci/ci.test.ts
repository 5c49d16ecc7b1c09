/** Runner of the CI suites: scheduling, timeouts, leftovers and counts. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../src/testing/eventually.ts';
import { filesOnMachines } from '../local/files-on-machines.ts';
import { countsOf } from './counts.ts';
import { processesOf } from './leftovers.ts';
import { runSuite, type Result } from './run-suite.ts';
import { nextToStart } from './schedule.ts';
import { suites, type Suite } from './suites.ts';
import { reasons } from './reasons.ts';
import { sayResult, summary, total } from './table.ts';

const root = resolve(import.meta.dirname, '../..');
const plain: Suite = {
  name: 'plain',
  about: '',
  command: ['it'],
  processors: 1,
  memoryGiB: 1,
  resources: [],
  deadlineMinutes: 1,
};

describe('definitions of suites', () => {
  const host = { processors: 2, memoryGiB: 8 };
  const named = (name: string, more: Partial<Suite> = {}): Suite => ({ ...plain, name, ...more });

  test.each<[string, Suite[], Suite[], string | undefined]>([
    ['begins when nothing runs, whatever it needs', [named('big', { processors: 64 })], [], 'big'],
    ['begins beside another', [named('a')], [named('b')], 'a'],
    ['waits for a processor', [named('a')], [named('b'), named('c')], undefined],
    ['waits for memory', [named('a', { memoryGiB: 6 })], [named('b', { memoryGiB: 4 })], undefined],
    [
      'waits for the one that has what it needs, and lets others go first',
      [named('a', { resources: ['network'] }), named('b')],
      [named('c', { resources: ['network', 'lxd'] })],
      'b',
    ],
  ])('%s', (_, waiting, running, expected) => {
    expect(nextToStart(waiting, running, host)?.name).toBe(expected);
  });

  test('every suite has a unique name and an existing script', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    expect(new Set(suites.map(({ name }) => name)).size).toBe(suites.length);
    const commands = suites.flatMap(({ command, full = command }) => [command[0]!, full[0]!]);
    expect(commands.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  });

  test('every test script of this project is a suite', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const run = suites.flatMap(({ command, full = [] }) => [command[0], full[0]]);
    // The mutants are left out, as they take an hour.
    const expected = Object.keys(scripts).filter(
      (name) => name.startsWith('test:') && name !== 'test:mutants',
    );
    expect(expected.filter((name) => !run.includes(name))).toEqual([]);
  });
});

test('every test file that `npm test` leaves to the suite of local machines exists', () => {
  expect(filesOnMachines.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test.each([
  ['nothing', 'hello\n', true, { passed: 1, failed: 0, skipped: 0 }],
  ['nothing and fails', 'hello\n', false, { passed: 0, failed: 1, skipped: 0 }],
  ['counts', 'x\n5 passed, 0 failed\n', true, { passed: 5, failed: 0, skipped: 0 }],
  [
    'counts with skipped ones',
    '5 passed, 1 failed, 2 skipped\n',
    false,
    { passed: 5, failed: 1, skipped: 2 },
  ],
  ['good counts and fails', '5 passed, 0 failed\n', false, { passed: 5, failed: 1, skipped: 0 }],
  [
    'vitest’s summaries',
    '      Tests  1 failed | 7 passed | 2 skipped (10)\n\u001b[2m      Tests \u001b[22m \u001b[1m3 passed\u001b[0m (3)\n',
    false,
    { passed: 10, failed: 1, skipped: 2 },
  ],
])('the output of a suite that says %s is counted', (_, output, succeeded, expected) => {
  expect(countsOf(output, succeeded)).toEqual(expected);
});

describe('running a suite', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync('/tmp/gci-');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function run(
    script: string,
    more: Partial<Suite> = {},
    {
      signal = new AbortController().signal,
      part = 7,
    }: { signal?: AbortSignal; part?: number | undefined } = {},
  ): Promise<Result> {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { it: script } }));
    return runSuite({ ...plain, ...more }, { root: folder, folder, part, signal });
  }

  test('a suite gets files of its own, and its output is kept', async () => {
    const result = await run('echo $HOME $JUJU_DATA $TMPDIR; echo 3 passed, 0 failed');
    expect(result).toMatchObject({ result: 'passed', counts: { passed: 3, failed: 0 }, leftovers: [] });
    const own = join(folder, 'plain');
    expect(readFileSync(result.log, 'utf8')).toContain(`${own}/home ${own}/home/juju ${own}/t\n`);
    expect(total([result, result])).toBe('6 passed, 0 failed');
  });

  test.each([
    [7, 'some of 7.\n'],
    [undefined, 'all of .\n'],
  ])('a suite runs part %s', async (part, expected) => {
    const scripts = { it: 'echo some of $GRIGRI_PART.', all: 'echo all of $GRIGRI_PART.' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
    const { signal } = new AbortController();
    const result = await runSuite({ ...plain, full: ['all'] }, { root: folder, folder, part, signal });
    expect(readFileSync(result.log, 'utf8')).toContain(expected);
  });

  test('a suite that fails gives its exit code', async () => {
    expect(await run('exit 3')).toMatchObject({ result: 'failed', counts: { passed: 0, failed: 1 } });
  });

  test('a suite is killed at its deadline with all its children', async () => {
    const result = await run('sleep 1000 & sleep 1000', { deadlineMinutes: 0.02 });
    expect(result).toMatchObject({ result: 'ended at its deadline', counts: { failed: 1 } });
    expect(processesOf(join(folder, 'plain'))).toEqual([]);
  });

  test('a suite is killed when the run is interrupted', async () => {
    const end = new AbortController();
    const running = run('sleep 1000', {}, { signal: end.signal });
    end.abort();
    expect(await running).toMatchObject({ result: 'interrupted' });
    expect(processesOf(join(folder, 'plain'))).toEqual([]);
  });

  test('a process that a suite left is reported and killed', async () => {
    const result = await run('setsid sleep 1000 >/dev/null 2>&1 & sleep 0.5');
    expect(result).toMatchObject({ result: 'failed', counts: { failed: 1 } });
    expect(result.leftovers).toEqual([expect.stringMatching(/^process \d+: .*sleep 1000$/)]);
    // Killed processes end when the kernel gets to them.
    await eventually(() => expect(processesOf(join(folder, 'plain'))).toEqual([]));
  }, 60_000);
});

describe('the end of the output', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync('/tmp/gci-');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const progress = Array.from({ length: 300 }, (_, n) => `${n} calls of 1000`);
  function result(suite: string, result: Result['result'], lines: readonly string[]): Result {
    const log = join(folder, `${suite}.log`);
    writeFileSync(log, `${lines.join('\n')}\n`);
    const counts = { passed: 1, failed: result === 'passed' ? 0 : 1, skipped: 0 };
    return { suite, result, seconds: 1, processorSeconds: 1, counts, leftovers: [], log };
  }
  const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;

  test('the last 100 lines name the reason of each failed suite, however many failed, and the counts come last', () => {
    const results = [
      result('good', 'passed', ['fine']),
      result('fuzz', 'failed', ['TypeError: x is undefined', ...progress, '3 × an internal error']),
      ...Array.from({ length: 15 }, (_, n) =>
        result(`s${n}`, n % 2 === 0 ? 'failed' : 'ended at its deadline', [
          ' ✓ what went well',
          red(` FAIL  suite ${n} > breaks`),
          ...progress,
          `the end of ${n}`,
        ]),
      ),
      { ...result('left', 'failed', ['done']), leftovers: ['process 7: sleep'] },
    ];
    const lines = summary(results).split('\n');
    expect(lines.at(-1)).toBe('18 passed, 17 failed');
    const end = lines.slice(-100);
    for (const { suite, result: what } of results.slice(1)) expect(end).toContain(`${suite}: ${what}`);
    for (let n = 0; n < 15; n++) {
      expect(end).toContain(`   FAIL  suite ${n} > breaks`);
      expect(end).toContain(`  the end of ${n}`);
    }
    expect(end).toContain('  TypeError: x is undefined');
    expect(end).toContain('  3 × an internal error');
    expect(end).toContain('  left behind: process 7: sleep');
    expect(lines.find((line) => line.startsWith('good '))).toMatch(/^good +passed +0:01/);
  });

  test('a run without failures ends with the table and the counts', () => {
    expect(summary([result('good', 'passed', ['FAIL is a word'])])).toMatch(
      /^suite .*\ngood .*\n\n1 passed, 0 failed$/,
    );
  });

  test('a suite has at most 40 lines, none wider than a screen or coloured, and none of tests that passed', () => {
    const lines = reasons(
      [result('one', 'failed', [...progress, ' ✓ a test', red('w'.repeat(1000)), 'a\rb'])],
      97,
    );
    expect(lines).toHaveLength(41);
    expect(lines.slice(-4)).toEqual(['  299 calls of 1000', `  ${'w'.repeat(159)}…`, '  a', '  b']);
  });

  test('a suite that could not start is reported, too', () => {
    const { log: _, ...rest } = result('late', 'not run', []);
    expect(summary([{ ...rest, log: '' }])).toContain('\nlate: not run\n');
  });
});

test('the reasons of a failed suite are printed at once, with failures from before the end of its log', () => {
  const folder = mkdtempSync('/tmp/gci-');
  try {
    const log = join(folder, 'one.log');
    writeFileSync(
      log,
      [
        'FAIL  a test',
        ...Array.from({ length: 200 }, (_, i) => ` ✓ test ${i}`),
        '\u001b[31mbroken\u001b[39m',
      ].join('\n'),
    );
    const counts = { passed: 0, failed: 1, skipped: 0 };
    expect(
      sayResult({
        suite: 'one',
        result: 'failed',
        seconds: 65,
        processorSeconds: 1,
        counts,
        leftovers: [],
        log,
      }),
    ).toBe('FAILED  one: failed in 1:05, 0 passed, 1 failed\n  FAIL  a test\n  broken');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('why tests were skipped is told once with their suite and in the summary, whatever comes of it', () => {
  const folder = mkdtempSync('/tmp/gci-');
  try {
    const log = join(folder, 'one.log');
    const line = 'skipped: tests of far, which is away';
    writeFileSync(log, ['stderr | x.test.ts', line, '↓ skipped: a test', line, ''].join('\n'));
    const counts = { passed: 1, failed: 0, skipped: 2 };
    const times = { seconds: 65, processorSeconds: 1 };
    const one: Result = { suite: 'one', result: 'passed', ...times, counts, leftovers: [], log };
    expect(sayResult(one)).toBe(`passed  one: passed in 1:05, 1 passed, 0 failed, 2 skipped\n  ${line}`);
    expect(summary([one]).split('\n').slice(-2)).toEqual([`one: ${line}`, '1 passed, 0 failed, 2 skipped']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a run whose output nobody reads ends in order', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), '--list'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  child.stderr.destroy();
  expect(await new Promise((done) => child.on('exit', done))).toBe(0);
});

test('an unknown name of a suite is refused with the known names', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.ts'), '--only', 'locl'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise((done) => child.on('exit', done));
  expect(code).toBe(2);
  expect(stderr).toMatch(/^ERROR no suite locl; there are .*local/);
});
