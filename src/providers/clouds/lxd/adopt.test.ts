/** Models that come from another controller, when LXD answers, fails and is cut off in the middle. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import { startTestLxd, type TestLxd } from '../../../testing/providers/test-lxd.ts';
import type { Environ } from '../../contract/provider.ts';
import { createLxdProvider } from './index.ts';

const never = new AbortController().signal;
const modelUuid = randomUUID();
const [old, fresh] = [randomUUID(), randomUUID()];
const from = { ticket: 'default', from: old, machines: 2 };

let lxd: TestLxd;
beforeEach(async () => {
  lxd = await startTestLxd();
  const environ = open(old);
  for (const machineId of ['0', '1'])
    await environ.instances.start(
      {
        machineId,
        nonce: `nonce ${machineId}`,
        base: { name: 'debian', channel: '12/stable' },
        constraints: {},
        tags: {},
        agent: { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' },
        progress: () => undefined,
      },
      never,
    );
  await environ.containers!.takeAddress!('0/lxd/0', never);
});
afterEach(() => lxd.close());

function open(controllerUuid: string, project = 'default'): Environ {
  const provider = createLxdProvider();
  return provider.open({
    cloud: lxd.spec,
    config: provider.validate({ project }),
    controllerUuid,
    modelUuid,
    modelName: 'test',
    stateDir: '/nowhere',
    clock: { now: () => Date.now(), sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) },
    log: silentLog,
  });
}

/** Owners of all instances and of the profiles that have one. */
const owners = (): unknown[] =>
  [...lxd.instances.values(), ...lxd.profiles.values()]
    .map(({ config }) => (config as Record<string, string>)['user.juju-controller-uuid'])
    .filter((owner) => owner !== undefined);

test('Machines, addresses of containers and profiles are taken over, wherever the requests to LXD are cut off', async () => {
  expect(owners()).toEqual([old, old, old, old]);
  let isWhole = false;
  for (let cut = 0; !isWhole; cut++) {
    const target = randomUUID();
    const environ = open(target);
    const last = owners()[0] as string;
    lxd.meddle = (_, before) => (before === began + cut ? 'cut after' : undefined);
    const began = lxd.requests.length;
    isWhole = await environ.migration!.adopt({ ...from, from: last }, never).then(
      () => true,
      () => false,
    );
    lxd.meddle = () => undefined;
    await environ.migration!.adopt({ ...from, from: last }, never);
    expect(owners(), `cut off at ${cut}`).toEqual([target, target, target, target]);
  }
});

test('What another controller or model has stays as it is', async () => {
  await open(fresh).migration!.adopt({ ...from, from: randomUUID() }, never);
  expect(owners()).toEqual([old, old, old, old]);
});

test('An LXD or project without the machines is refused before anything happens', async () => {
  const refuses = async (params: Partial<typeof from>, why: string): Promise<void> => {
    await expect(open(fresh).migration!.check({ ...from, ...params }, never)).rejects.toMatchObject({
      code: 'not supported',
      message: expect.stringContaining(why) as string,
    });
  };
  await open(fresh).migration!.check(from, never);
  await refuses({ machines: 3 }, 'has 2 of its 3 machines in project default');
  await refuses({ from: randomUUID() }, 'has 0 of its 2 machines');
  await refuses({ ticket: 'other' }, "in LXD's project other, not in default");
});

test('A machine whose change LXD does not answer holds up no other one', async () => {
  const [first] = lxd.instances.keys();
  lxd.meddle = (request) => (request === `PUT /1.0/instances/${first}` ? 'hang' : undefined);
  const { migration } = open(fresh);
  await expect(migration!.adopt(from, never)).rejects.toThrow(
    `LXD has not changed /1.0/instances/${first} within 30 s`,
  );
  expect(owners().filter((one) => one === old)).toHaveLength(1);
  lxd.meddle = () => undefined;
  await migration!.adopt(from, never);
  expect(owners()).toEqual([fresh, fresh, fresh, fresh]);
});

test('A machine that LXD does not reach is taken over once it does', async () => {
  const away = [...lxd.instances.values()][1]!;
  away.isAway = true;
  const { migration } = open(fresh);
  await migration!.check(from, never);
  await expect(migration!.adopt(from, never)).rejects.toThrow(
    `LXD does not reach instance ${away.name} on b`,
  );
  away.isAway = false;
  await migration!.adopt(from, never);
  expect(owners()).toEqual([fresh, fresh, fresh, fresh]);
});
