/**
 * Secrets that are rotated in the real time of a controller: its clock is moved by an hour while it is away, in a world
 * of its own, as all leases and timers of its models move along.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startDaemon } from '../../src/cli/daemon.ts';
import { root, startWorld, type World } from '../world.ts';
import { setStage } from './stage.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld('rotation', { patienceMs: 4 * 60_000 });
});
afterAll(async () => expect((await world?.end()) ?? []).toEqual([]));

/** Kills the controller and starts it with a clock that is ahead of the host's. */
async function restartAhead(ms: number): Promise<void> {
  world.killController();
  const moved = join(world.dir, 'moved-clock');
  writeFileSync(moved, String(ms));
  vi.stubEnv('MOVED_CLOCK', moved);
  vi.stubEnv('NODE_OPTIONS', `--import ${join(root, 'src/testing/moved-clock.ts')}`);
  await startDaemon({ dataDir: world.controllerDir });
  vi.unstubAllEnvs();
}

test('secrets are rotated by their units and by the leader of that time, also of one that is frozen when they are due', async () => {
  const stage = await setStage(world, { name: 'rotation' });
  await stage.grigri('deploy', stage.charm('keeper'), '-n', '2');
  await stage.grigri('deploy', stage.charm('reader'));
  await stage.settled('keeper', 2, 'active');
  await stage.grigri('integrate', 'keeper', 'reader');
  await stage.settled('reader', 1, 'active', 'FIRST');

  const former = await stage.leader('keeper');
  const next = former === 'keeper/0' ? 'keeper/1' : 'keeper/0';
  const agent = stage.agentPid((await stage.unit(former)).machine)!;
  process.kill(agent, 'SIGSTOP');
  try {
    await restartAhead(60 * 60_000);
    await stage.settled('reader', 1, 'active', 'ROTATED');
    expect(await stage.leader('keeper')).toBe(next);
  } finally {
    process.kill(agent, 'SIGCONT');
  }
  const says = (unit: string, ...parts: string[]): Promise<void> =>
    stage.until(`${unit} to say ${parts.join(', ')}`, async () => {
      const { message } = await stage.unit(unit);
      return parts.every((part) => message.includes(part));
    });
  const own = (unit: string): string => `NEW-${unit.toUpperCase().replace('/', '-')}`;
  await says(next, own(next), 'secret_rotate:own:', 'secret_rotate:password:', 'secret_remove:password:1');
  // The former leader rotates what is its own, and is told of the other by the owner's label.
  await says(former, own(former), 'secret_rotate:own:', 'secret_changed:password:');
  expect((await stage.unit(former)).message).not.toContain('secret_rotate:password:');
  await stage.settled('keeper', 2, 'active');
  await stage.end();
});
