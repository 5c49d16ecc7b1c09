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

test('each fault of a provider is found by the case that is about it, and a password by all', async () => {
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

test('a case that goes on after its end starts nothing any more', async () => {
  const provider = createSimulatedProvider();
  const world = createProviderWorld();
  const environ = world.open(provider);
  await world.end(provider);
  expect(() => environ.instances.start(world.startParams('0'), world.never)).toThrow('the case is over');
  expect(existsSync(world.folder)).toBe(false);
});

test('a signal aborts when it is looked at for the nth time, in whatever way', () => {
  const thrown = abortAtCheck(2);
  thrown.throwIfAborted();
  expect(() => thrown.throwIfAborted()).toThrow('cancelled at check 2');
  const asked = abortAtCheck(2);
  expect([asked.aborted, asked.aborted, asked.aborted]).toEqual([false, true, true]);
});

/** Resolves whatever becomes of the cases. */
function run(cwd: string, ...args: string[]): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // Not as a part of the run that this is in.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  return new Promise((done) => execFile(process.execPath, [vitest, ...args], { cwd, env }, () => done()));
}
