/** LXD that fails, hangs, restarts or is full during a start: the status says so, and the machine recovers. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World } from '../world.ts';
import { addProxied, base, containers, hurry, startBoxes } from './places.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { run } from './run.ts';
import { frailLxd } from './server.ts';

let proxy: Proxy;
let world: World & { readonly uuid: string };
let next = 0;

beforeAll(async () => {
  proxy = await startProxy(frailLxd.socket, join(frailLxd.folder, 'faults.socket'));
  world = await startBoxes('lxdfaults', (one) => addProxied(one, 'proxied', proxy.socket));
  await hurry(world);
});
// Undefined when startWorld failed, which is then the failure to report.
afterAll(async () => {
  proxy?.reset({});
  expect((await world?.end()) ?? []).toEqual([]);
  expect(await containers(world?.uuid ?? '', frailLxd)).toEqual([]);
  await proxy?.close();
});

/** Adds a machine. Returns its id. */
async function addMachine(...flags: string[]): Promise<string> {
  await world.grigri('add-machine', ...(flags.includes('--base') ? [] : base), ...flags);
  return String(next++);
}

/** Waits until the machine's status and explanation match. */
function untilSaid(machine: string, what: RegExp): Promise<void> {
  return world.until(
    `machine ${machine} to say ${what}`,
    async () =>
      what.test((await world.status()).machines[machine]?.['machine-status'].message ?? '') &&
      what.test(await world.grigri('explain', machine)),
  );
}

/** Waits until the machine's agent is connected, on its only container. */
async function untilWell(machine: string): Promise<void> {
  await world.until(
    `machine ${machine} to start`,
    async () => (await world.status()).machines[machine]?.['juju-status'].current === 'started',
  );
  const made = await containers(world.uuid, frailLxd);
  expect(made.filter((one) => one.config['user.juju-machine-id'] === machine)).toHaveLength(1);
}

test('a start is retried while LXD answers 500', async () => {
  proxy.reset({ before: () => ({ status: 500, error: 'database is locked' }) });
  const machine = await addMachine();
  await untilSaid(machine, /database is locked/);
  proxy.reset({});
  await untilWell(machine);
});

test('a start survives a restart of LXD', async () => {
  let restarted: Promise<void> | undefined;
  proxy.reset({
    after({ method, path }) {
      if (method === 'POST' && /^\/1\.0\/instances(\?|$)/.test(path) && !restarted)
        restarted = frailLxd.stop('SIGKILL').then(() => frailLxd.start());
      return 'pass';
    },
  });
  const machine = await addMachine();
  await world.until('the restart', () => Promise.resolve(restarted !== undefined));
  await restarted;
  await untilWell(machine);
});

test('a start reports that LXD does not answer, and continues when it does', async () => {
  proxy.reset({
    before: ({ method, path }) =>
      method === 'POST' && /^\/1\.0\/instances(\?|$)/.test(path) ? 'hang' : 'pass',
  });
  const machine = await addMachine();
  await world.until('it to be said', async () =>
    /does not answer/.test(await world.grigri('show-status-log', '--type', 'machine', machine)),
  );
  proxy.reset({});
  proxy.release();
  await untilWell(machine);
});

test('a start reports that a storage pool is full, and continues when it has room', async () => {
  const source = join(frailLxd.folder, 'small');
  mkdirSync(source);
  await run(['mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', source]);
  await frailLxd.lxc('storage', 'create', 'small', 'dir', `source=${source}`);
  try {
    const machine = await addMachine('--constraints', 'root-disk-source=small');
    await untilSaid(machine, /no space left|out of disk space/i);
    await run(['mount', '-o', 'remount,size=3g', source]);
    await world.attempt('retry-provisioning', machine);
    await untilWell(machine);
    await world.grigri('remove-machine', machine, '--no-prompt');
    await world.until('it to go', async () => (await world.status()).machines[machine] === undefined);
  } finally {
    await frailLxd.attempt('storage', 'delete', 'small');
    await run(['umount', '-l', source]);
  }
});

test('a start reports which image was not found and where it was looked for, and continues once it exists', async () => {
  // The proxy setting keeps LXD from real image servers, which have more images than this LXD.
  await frailLxd.lxc('config', 'set', 'core.proxy_https', 'http://127.0.0.1:9');
  try {
    const machine = await addMachine('--base', 'debian@13');
    await untilSaid(machine, /no image of debian@13/);
    const [image] = await frailLxd.query<{ fingerprint: string }[]>('/1.0/images?recursion=1');
    await frailLxd.lxc('image', 'alias', 'create', 'debian/13', image!.fingerprint);
    await world.attempt('retry-provisioning', machine);
    await untilWell(machine);
  } finally {
    await frailLxd.attempt('config', 'unset', 'core.proxy_https');
    await frailLxd.attempt('image', 'alias', 'delete', 'debian/13');
  }
});
