/** ops' own integration tests, with jubilant, unmodified: its charms call each wrapper of a hook tool in real hooks. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root, type World } from '../../world.ts';
import { cache, opsLibraries } from '../install.ts';

interface OpsTest {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Reason why the test did not pass. */
  readonly message?: string;
}

const here = import.meta.dirname;

/**
 * Runs files of the newest ops' tests against the controller, in models that they add and destroy. Returns the result
 * of each test, and the output of pytest. Errors: when pytest cannot begin.
 */
export async function runOpsTests(
  world: World,
  files: readonly string[],
): Promise<{ readonly tests: readonly OpsTest[]; readonly output: string }> {
  const { output, report } = await pytest(world, files, {
    JUJU_DATA: join(world.dir, 'client'),
    PATH: [join(here, 'bin'), process.env['PATH']].join(delimiter),
    GRIGRI: join(root, 'bin/grigri'),
    NODE: process.execPath,
    PACK: join(here, 'pack.ts'),
    LIBRARIES: opsLibraries(),
    ANY_CHARM: join(here, '../any-charm'),
  });
  return { tests: testsOf(report), output };
}

/** Returns the calls of hook tools that ops' unit tests expect of its wrappers, each once. */
export async function toolCallsOfOps(world: World): Promise<string[][]> {
  const record = join(mkdtempSync(join(world.dir, 'record-')), 'calls.json');
  const files = ['-p', 'recorded_calls', 'test/test_hookcmds.py', 'test/test_model.py'];
  await pytest(world, files, { RECORD: record });
  const calls = JSON.parse(readFileSync(record, 'utf8')) as [test: string, call: string[]][];
  return [...new Map(calls.map(([, call]) => [JSON.stringify(call), call])).values()];
}

async function pytest(
  world: World,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<{ readonly output: string; readonly report: string }> {
  const source = mkdtempSync(join(world.dir, 'ops-'));
  cpSync(join(cache, 'ops-source'), source, { recursive: true });
  const report = join(source, 'report.xml');
  const env = {
    ...process.env,
    PYTHONPATH: [join(cache, 'ops-tests'), join(here, 'stubs')].join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
    ...more,
  };
  const python = readFileSync(join(cache, 'ops-tests/python'), 'utf8').trim();
  const output = await new Promise<string>((resolve) => {
    execFile(
      python,
      ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junit-xml=${report}`, ...args],
      { cwd: source, env, maxBuffer: 64 * 1024 * 1024 },
      (_, stdout, stderr) => resolve(stdout + stderr),
    );
  });
  if (!existsSync(report)) throw new Error(`pytest has made no report: ${output}`);
  return { output, report: readFileSync(report, 'utf8') };
}

/** Returns the tests of a JUnit report as pytest writes it. */
function testsOf(xml: string): OpsTest[] {
  return xml
    .split('<testcase ')
    .slice(1)
    .map((text) => {
      const name = / name="([^"]*)"/.exec(` ${text}`)?.[1] ?? '';
      const bad = /<(failure|error|skipped)[^>]*? message="([^"]*)"/.exec(text);
      if (!bad) return { name, outcome: 'passed' };
      return { name, outcome: bad[1] === 'skipped' ? 'skipped' : 'failed', message: bad[2]! };
    });
}
