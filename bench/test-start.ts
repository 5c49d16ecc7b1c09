/**
 * Measures the start of `grigri test`, from the start of its process until its controller is ready, against a Node that
 * does nothing: `node bench/test-start.ts [--quick]`. The goal is one second on a quiet machine, where such a Node
 * takes 31 ms. Each controller is removed again.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { exitCode, pairs, report } from './floor.ts';

const grigri = join(import.meta.dirname, '../bin/grigri');
const folder = mkdtempSync(join(tmpdir(), 'grigri-bench-start-'));
const charm = join(folder, 'empty');
try {
  mkdirSync(join(charm, 'hooks'), { recursive: true });
  writeFileSync(join(charm, 'metadata.yaml'), 'name: empty\nsummary: none\ndescription: none\n');
  const comparison = await pairs(node, untilReady, process.argv.includes('--quick') ? 3 : 15);
  process.exitCode = exitCode([report('test-start', comparison, { atMost: 32 })]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function node(): void {
  const { status, error } = spawnSync(process.execPath, ['-e', '0']);
  if (error || status !== 0) throw new Error('node -e 0 failed', { cause: error });
}

/** Returns the milliseconds until the controller is ready. */
async function untilReady(): Promise<number> {
  const startedAt = performance.now();
  const env = { ...process.env, HOME: folder, JUJU_DATA: join(folder, 'client') };
  const child = spawn(grigri, ['test', charm], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  const lines: string[] = [];
  let ms: number | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (ms !== undefined || !line.startsWith('Controller ready')) continue;
    ms = performance.now() - startedAt;
    // The child removes everything that it has made.
    child.kill('SIGINT');
  }
  const [code] = (await ended) as [number | null];
  if (ms === undefined || code !== 130)
    throw new Error(`grigri test ended with code ${code}:\n${lines.join('\n')}`);
  return ms;
}
