/**
 * Leadership is a lease: leadership moves when its holder is removed or silent, and an expired lease allows no writes.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld('leadership');
});
afterAll(async () => {
  expect(await world.end()).toEqual([]);
});

const all = '2>&1 || echo refused';

test('leadership moves from a unit that is removed, and from one whose agent is frozen', async () => {
  const charm = world.charm('herd', {
    metadata: 'peers:\n  others:\n    interface: herd\n',
    config: 'options:\n  n:\n    type: int\n    default: 0\n',
    hooks: {
      'leader-elected': 'leader-set who="$JUJU_UNIT_NAME"',
      start: 'status-set active',
      // The leader stays in the hook until the test lets it continue, then writes although it is not the leader any
      // more.
      'config-changed': [
        '[ "$(config-get n)" = 1 ] && [ "$(is-leader)" = True ] || exit 0',
        'touch /root/leading',
        'while [ ! -e /root/go ]; do sleep 0.1; done',
        `{ leader-set who=old ${all}; } >/root/wrote`,
        `{ relation-set -r $(relation-ids others) --app who=old ${all}; } >>/root/wrote`,
      ].join('\n'),
    },
  });
  await world.grigri('deploy', charm, '-n', '3');
  for (const n of [0, 1, 2]) await world.untilUnit(`herd/${n}`, { workload: 'active', agent: 'idle' });

  const first = await leader();
  await world.grigri('remove-unit', first, '--no-prompt');
  await world.until('another leader', async () => ![first, ''].includes(await leader()));
  const second = await leader();
  const third = ['herd/0', 'herd/1', 'herd/2'].find((unit) => unit !== first && unit !== second)!;
  await world.until('the next leader to write', async () => (await who(third)) === second);

  await world.grigri('config', 'herd', 'n=1');
  await world.until('the leader to be in its hook', async () => {
    await world.grigri('ssh', second, 'test -e /root/leading');
    return true;
  });
  const { machine } = await world.unit(second);
  const agent = world.agentPid(machine)!;
  process.kill(agent, 'SIGSTOP');
  try {
    await world.until('the lease to run out and be taken', async () => (await leader()) === third);
    await world.until('the new leader to write', async () => (await who(third)) === third);
    await world.grigri('ssh', second, 'touch /root/go');
  } finally {
    process.kill(agent, 'SIGCONT');
  }

  let wrote = '';
  await world.until('the old leader to have tried', async () => {
    wrote = await world.grigri('ssh', second, 'cat /root/wrote');
    return wrote.match(/refused/g)?.length === 2;
  });
  expect(wrote).toMatch(/leader/);
  await world.untilUnit(second, { agent: 'idle' });
  expect(await who(third)).toBe(third);
  expect(await who(second)).toBe(third);
  expect(await leader()).toBe(third);
});

test('an agent that is killed is still the leader when it is back', async () => {
  const before = await leader();
  const { machine } = await world.unit(before);
  const agent = world.agentPid(machine)!;
  process.kill(agent, 'SIGKILL');
  await world.until('another agent', () => {
    const now = world.agentPid(machine);
    return Promise.resolve(now !== undefined && now !== agent);
  });
  await world.until(
    'it to answer',
    async () => (await world.grigri('exec', '--unit', before, '--', 'is-leader')).trim() === 'True',
  );
  expect(await leader()).toBe(before);
});

async function leader(): Promise<string> {
  const { units = {} } = (await world.status()).applications['herd']!;
  return Object.keys(units).find((name) => units[name]!.leader) ?? '';
}

/** Returns the leader according to the application's settings, as this unit sees them. */
async function who(unit: string): Promise<string> {
  return (await world.grigri('exec', '--unit', unit, '--', 'leader-get who')).trim();
}
