/**
 * Running machine that gets a second network: its agent reports the network, and a charm is told of the space that it
 * is bound to.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld('networks');
});
afterAll(async () => expect(await world.end()).toEqual([]));

/** Runs `ip` in the network namespace of a machine. */
function ip(machine: string, ...args: string[]): void {
  const pid = world.agentPid(machine);
  if (pid === undefined) throw new Error(`machine ${machine} has no agent`);
  execFileSync('nsenter', ['--target', String(pid), '--net', 'ip', ...args]);
}

test('an endpoint is bound to the space of a network that came while the machine ran, until it goes', async () => {
  const web = {
    metadata: `provides: ${JSON.stringify({ front: { interface: 'http' }, back: { interface: 'http' } })}\n`,
    hooks: {
      'config-changed':
        'status-set active "front $(network-get front --bind-address 2>&1), back $(network-get back --bind-address)"',
    },
  };
  await world.grigri('deploy', world.charm('web', web));
  const { message, machine } = await world.untilUnit('web/0', { workload: 'active', agent: 'idle' });
  const own = /back (\S+)$/.exec(message)?.[1];
  expect(message).toBe(`front ${own}, back ${own}`);

  ip(machine, 'link', 'add', 'second', 'type', 'veth', 'peer', 'name', 'far');
  ip(machine, 'link', 'set', 'far', 'up');
  ip(machine, 'address', 'add', '10.77.0.2/24', 'dev', 'second');
  ip(machine, 'link', 'set', 'second', 'up');
  await world.until('the second network', async () =>
    (await world.grigri('subnets', '--format', 'json')).includes('10.77.0.0/24'),
  );
  await world.grigri('add-space', 'dmz', '10.77.0.0/24');
  await world.grigri('bind', 'web', 'front=dmz');
  await world.untilUnit('web/0', { agent: 'idle', message: `front 10.77.0.2, back ${own}` });

  ip(machine, 'link', 'delete', 'second');
  // Agents that are told of a change check their machine at once.
  await world.grigri('model-config', 'logging-config=<root>=INFO');
  await world.untilUnit('web/0', {
    agent: 'idle',
    message: `front ERROR no network config found for binding "front", back ${own}`,
  });
});
