import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { broken, brokenMachines } from '../../testing/providers/broken.ts';
import { createSimulatedProvider } from '../clouds/simulated/index.ts';
import { abortAtCheck, createProviderWorld } from './world.ts';

const root = resolve(import.meta.dirname, '../../..');

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

test('Each faulty provider fails the case for its fault, and a leaked password fails every case', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-kit-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(
      join(folder, 'broken.test.ts'),
      `import { describe } from 'vitest';
      import { agentCases } from '${import.meta.dirname}/agent.ts';
      import { setUp } from '${import.meta.dirname}/kit.ts';
      import { broken, brokenMachines, leaky } from '${root}/src/testing/providers/broken.ts';
      import { describeProvider } from '${root}/src/providers/conformance/index.ts';
      for (const [name, fresh] of Object.entries(broken)) describeProvider({ name, possible: true, fresh, runsNothing: true });
      for (const [name, fresh] of Object.entries(brokenMachines))
        describe(name, () => agentCases(setUp({ name, possible: true, fresh, timeoutMs: 10_000 })));
      describeProvider({ name: 'leaky', possible: true, fresh: leaky, runsNothing: true });`,
    );
    const outputFile = join(folder, 'report.json');
    await run(folder, 'run', '--reporter', 'json', '--outputFile', outputFile);
    const report = JSON.parse(readFileSync(outputFile, 'utf8')) as Report;
    const failed = report.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'failed')
      .map(({ ancestorTitles, title }) => ({ subject: ancestorTitles[0], title }));
    for (const name of Object.keys({ ...broken, ...brokenMachines }))
      expect(failed).toContainEqual({ subject: name, title: name });
    expect(failed.filter(({ subject }) => subject === 'leaky').length).toBeGreaterThan(15);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('A case that runs on after its end cannot start anything', async () => {
  const provider = createSimulatedProvider();
  const world = createProviderWorld();
  const environ = world.open(provider);
  await world.end(provider);
  expect(() => environ.instances.start(world.startParams('0'), world.never)).toThrow('the case is over');
  expect(existsSync(world.folder)).toBe(false);
});

test('A signal aborts when it is checked for the nth time, in any way of checking', () => {
  const thrown = abortAtCheck(2);
  thrown.throwIfAborted();
  expect(() => thrown.throwIfAborted()).toThrow('cancelled at check 2');
  const asked = abortAtCheck(2);
  expect([asked.aborted, asked.aborted, asked.aborted]).toEqual([false, true, true]);
});

/** Resolves whether or not the cases pass. */
function run(cwd: string, ...args: string[]): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // VITEST variables would make the child process part of the current test run.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  return new Promise((done) => execFile(process.execPath, [vitest, ...args], { cwd, env }, () => done()));
}
