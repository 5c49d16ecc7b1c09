/**
 * Resource of 2 GiB that goes from the command line to a unit without being in any process's memory
 * (resources.md#content).
 */
import { spawn } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

const MiB = 1024 * 1024;
const size = 2048 * MiB;
/**
 * Maximum memory in bytes, which is generous: Node by itself has 50-150 MiB, and a buffer that grows with the file
 * would have 2 GiB.
 */
const peakMax = 400 * MiB;

let world: World;

beforeAll(async () => {
  world = await startWorld('resources', { patienceMs: 5 * 60_000 });
});
afterAll(async () => expect(await world.end()).toEqual([]));

/** Returns the largest size that the process has had in memory, in bytes. */
function peakOf(pid: number): number {
  const [, kib = ''] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** Runs the command line. Resolves with the largest size in memory that the process reported at its end, in bytes. */
async function peakOfCommand(...args: string[]): Promise<number> {
  const told = join(world.dir, 'peak');
  const tell = join(world.dir, 'tell-peak.cjs');
  const script = `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)))`;
  writeFileSync(tell, script);
  const env = {
    ...process.env,
    JUJU_DATA: join(world.dir, 'client'),
    NODE_OPTIONS: `--require ${tell}`,
  };
  const child = spawn(join(root, 'bin/grigri'), args, {
    env,
    cwd: world.dir,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return Number(readFileSync(told, 'utf8')) * 1024;
}

test(
  'a resource of 2 GiB is in the memory of neither client nor controller nor agent',
  { timeout: 10 * 60_000 },
  async () => {
    const charm = world.charm('big', {
      hooks: { start: 'status-set active' },
      metadata: 'resources: {data: {type: file, filename: data.bin, description: d}}\n',
    });
    await world.grigri('deploy', charm, 'big');
    await world.untilUnit('big/0', { workload: 'active', agent: 'idle' });
    const file = join(world.dir, 'data.bin');
    writeFileSync(file, 'begins');
    truncateSync(file, size);

    const client = await peakOfCommand('attach-resource', 'big', `data=${file}`);
    const controllerPid = world.controllerPid();
    const receiving = peakOf(controllerPid);
    const command = 'stat -c %s "$(resource-get data)"';
    const got = await world.grigri('exec', '--unit', 'big/0', '--wait', '5m', command);
    expect(Number(got)).toBe(size);

    const { machine } = await world.unit('big/0');
    const peaks = {
      client,
      receiving,
      sending: peakOf(controllerPid),
      agent: peakOf(world.agentPid(machine)!),
    };
    const shown = Object.entries(peaks).map(([who, bytes]) => `${who} ${Math.round(bytes / MiB)} MiB`);
    console.log(`peak memory with a resource of 2 GiB: ${shown.join(', ')}`);
    for (const [who, bytes] of Object.entries(peaks)) {
      expect(bytes, who).toBeGreaterThan(10 * MiB);
      expect(bytes, who).toBeLessThan(peakMax);
    }
  },
);
