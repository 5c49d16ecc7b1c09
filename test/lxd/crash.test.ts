/**
 * kill -9 of the controller between its requests to LXD during a machine's start: LXD has carried out the n-th, and its
 * answer is lost. In the end every machine runs, on exactly one container. As a part: a quarter of the places, and the
 * places that every start has.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lot, partOf, partVariable } from '../part.ts';
import type { World } from '../world.ts';
import { addProxied, base, containers, hurry, startBoxes } from './places.ts';
import { startProxy, type Passing, type Proxy } from './proxy.ts';
import { lxd } from './server.ts';

/** Maximum number of kills: more than a start has requests. */
const killsMax = 40;
/** Time in milliseconds without requests after which the start is over. */
const quietMs = 1500;

/**
 * Returns a function that names a request's place in a start, the same for every machine. Consecutive reads change
 * nothing, so they are one place.
 */
function places(): (passing: Passing) => string {
  let last = 'at first';
  return ({ method, path }) => {
    if (method === 'GET') return `${last}, ${path.includes('/wait') ? 'waited for' : 'read'}`;
    return (last = `${method} ${path.replace(/juju-[0-9a-f]{6}-\d+/, 'it')}`);
  };
}

/** Places with a kill whatever part runs. */
const always = ['POST /1.0/instances', 'POST /1.0/instances, waited for', 'PUT /1.0/instances/it/state'];
const part = partOf();
if (part !== undefined) console.log(`a quarter of the places; again: ${partVariable}=${part}`);
const isInPart = (place: string): boolean =>
  part === undefined || always.includes(place) || lot(part, place) < 0.25;

let proxy: Proxy;
let world: World & { readonly uuid: string };

beforeAll(async () => {
  proxy = await startProxy(lxd.socket, join(lxd.folder, 'crash.socket'));
  world = await startBoxes('lxdcrash', (one) => addProxied(one, 'proxied', proxy.socket));
  await hurry(world);
});
// Undefined when startWorld failed, which is then the failure to report.
afterAll(async () => {
  proxy?.reset({});
  expect((await world?.end()) ?? []).toEqual([]);
  expect(await containers(world?.uuid ?? '')).toEqual([]);
  await proxy?.close();
});

test(
  'a controller that is killed after each request of a start makes exactly one container per machine',
  { timeout: 15 * 60_000 },
  async () => {
    const killedAt = new Set<string>();
    let accepted = 0;
    for (;;) {
      expect(killedAt.size).toBeLessThan(killsMax);
      const before = new Set((await containers(world.uuid)).map((one) => one.name));
      const placeOf = places();
      let [killed, isOver] = [false, false];
      proxy.reset({
        after(passing) {
          const place = placeOf(passing);
          // Commands are run only in instances that are recorded.
          const [, instance = ''] = /^\/1\.0\/instances\/([^/]+)\/exec$/.exec(passing.path) ?? [];
          isOver ||= instance !== '' && !before.has(instance);
          if (isOver || killed || killedAt.has(place) || !isInPart(place)) return 'pass';
          killed = true;
          killedAt.add(place);
          world.killController();
          return 'cut';
        },
      });
      // LXD is also asked before a machine is recorded: after a kill then, the command reports an error, and there is
      // no machine.
      if ((await world.attempt('add-machine', ...base)).code === 0) accepted++;
      await world.until(
        'a kill, or the end of the start',
        async () => killed || (await allHave('instance-id')),
      );
      if (!killed) break;
      // The next command starts the controller.
      await world.until('an instance of every machine', () => allHave('instance-id'));
      await quiet();
    }
    console.log(`killed after:\n${[...killedAt].map((place) => `  ${place}`).join('\n')}`);
    for (const place of always) expect([...killedAt]).toContain(place);

    await world.until('the agent of every machine', async () =>
      Object.values((await world.status()).machines).every((one) => one['juju-status'].current === 'started'),
    );
    const made = await containers(world.uuid);
    const machines = Object.entries((await world.status()).machines);
    expect(machines.length).toBeGreaterThanOrEqual(accepted);
    const pairs = made.map((one) => `${one.config['user.juju-machine-id']} ${one.name}`);
    expect(pairs.sort()).toEqual(machines.map(([id, one]) => `${id} ${one['instance-id']}`).sort());
  },
);

async function allHave(key: 'instance-id'): Promise<boolean> {
  return Object.values((await world.status()).machines).every((one) => !['', 'pending'].includes(one[key]));
}

async function quiet(): Promise<void> {
  await world.until('LXD to be left in peace', async () => {
    const before = proxy.seen.length;
    await sleep(quietMs);
    return proxy.seen.length === before;
  });
}
