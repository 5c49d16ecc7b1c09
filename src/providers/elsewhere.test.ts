import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadProviders } from './external.ts';

const root = resolve(import.meta.dirname, '../..');

test('The worked example passes the conformance kit as a provider from another package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-elsewhere-'));
  try {
    cpSync(join(root, 'examples/provider'), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'my-provider', type: 'module' }));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/grigri'));
    symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));

    const providers = await loadProviders([join(folder, 'provider.ts')]);
    expect(providers.get('unshare')?.description).toBe('Machines as namespaces of this host.');

    const outputFile = join(folder, 'report.json');
    await run(folder, 'run', '--reporter', 'json', '--outputFile', outputFile, '-t', 'settings|nonce');
    const report = JSON.parse(readFileSync(outputFile, 'utf8')) as Record<string, number | boolean>;
    expect(report).toMatchObject({ success: true, numFailedTests: 0 });
    // The count is zero on hosts without permission to create namespaces.
    expect(report['numTotalTests']).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function run(cwd: string, ...args: string[]): Promise<string> {
  const vitest = join(cwd, 'node_modules/vitest/vitest.mjs');
  // VITEST variables would make the child process part of the current test run.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  return new Promise((done, reject) =>
    execFile(process.execPath, [vitest, ...args], { cwd, env }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}${stderr}`, { cause: error })) : done(stdout),
    ),
  );
}
