/** Controllers with models on the suite's LXD, and observations from outside. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startWorld, staying, type World } from '../world.ts';
import { lxd, type Lxd } from './server.ts';

export const patienceMs = 300_000;
export const base = ['--base', 'debian@12'] as const;

/**
 * Starts a controller as a process of this host; its current model, `boxes`, is on the cloud that `addCloud` adds and
 * names, otherwise on this host's LXD.
 */
export async function startBoxes(
  subject: string,
  addCloud: (world: World) => Promise<string> = addLocalhost,
): Promise<World & { readonly uuid: string }> {
  const world = await startWorld(subject, { patienceMs });
  try {
    return Object.assign(world, { uuid: await addBoxes(world, 'boxes', await addCloud(world)) });
  } catch (error) {
    await world.end();
    throw error;
  }
}

/** Adds the client's built-in cloud to the controller. */
async function addLocalhost(world: World): Promise<string> {
  await world.grigri('add-cloud', 'localhost', '--controller', world.name);
  return 'localhost';
}

/** Adds a cloud with an endpoint of its own to the controller. Returns its name. */
export async function addProxied(world: World, name: string, endpoint: string): Promise<string> {
  const file = join(world.dir, `${name}.yaml`);
  writeFileSync(file, `clouds: {${name}: {type: lxd, auth-types: [empty], endpoint: '${endpoint}'}}\n`);
  await world.grigri('add-cloud', name, file, '--controller', world.name);
  return name;
}

/** Adds a model on a cloud, and makes it the current one. Returns its UUID. */
export async function addBoxes(world: World, model: string, cloud: string): Promise<string> {
  await world.grigri('add-model', model, cloud);
  const shown = JSON.parse(await world.grigri('show-model', model, '--format', 'json')) as Record<
    string,
    { readonly 'model-uuid': string }
  >;
  return shown[model]!['model-uuid'];
}

/** Makes machines start without refreshing package lists first. */
export async function hurry(world: World): Promise<void> {
  await world.grigri('model-config', 'enable-os-refresh-update=false', 'enable-os-upgrade=false');
}

export interface Container {
  readonly name: string;
  readonly status: string;
  readonly profiles: readonly string[];
  readonly config: Readonly<Record<string, string>>;
}
/** Returns the containers of a model, by the provider's tag; instances that only hold an address do not count. */
export async function containers(modelUuid: string, within: Lxd = lxd): Promise<Container[]> {
  const all = await within.query<Container[]>('/1.0/instances?recursion=1&all-projects=true');
  return all.filter(
    (one) => one.config['user.juju-model-uuid'] === modelUuid && !('user.grigri-holds' in one.config),
  );
}

/** Returns the names of all instances of these models, including those that only hold an address. */
export async function containersOf(modelUuids: readonly string[]): Promise<string[]> {
  const all = await lxd.query<Container[]>('/1.0/instances?recursion=1&all-projects=true');
  return all
    .filter((one) => modelUuids.includes(one.config['user.juju-model-uuid'] ?? ''))
    .map((one) => one.name);
}

/** Whether the host, which is outside of every machine, can connect to a port. */
export function reaches(host: string, port: number): Promise<boolean> {
  return talk(host, port).then(
    () => true,
    () => false,
  );
}

/** Sends text to a server and reads until `enough` matches. */
export function talk(host: string, port: number, words = '', enough = /^/): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect({ host, port, timeout: 1500 });
    const end = (done: () => void): void => {
      socket.destroy();
      done();
    };
    const listen = (): void => {
      if (enough.test(heard)) end(() => resolve(heard));
    };
    socket
      .once('connect', () => {
        socket.write(words);
        listen();
      })
      .on('data', (chunk) => {
        heard += chunk.toString();
        listen();
      })
      .once('error', (error) => end(() => reject(error)))
      .once('timeout', () => end(() => reject(new Error(`${host}:${port} says no more than "${heard}"`))))
      .once('end', () => end(() => reject(new Error(`${host}:${port} has said "${heard}"`))));
  });
}

/** Waits until every unit of the model is active and idle. */
export async function allActive(world: World, count: number): Promise<void> {
  const stays = staying();
  await world.until(`${count} active units`, async () => {
    const units = Object.values((await world.status()).applications).flatMap((one) =>
      Object.values(one.units ?? {}),
    );
    return stays(
      units.length === count &&
        units.every(
          (unit) => unit['workload-status'].current === 'active' && unit['juju-status'].current === 'idle',
        ),
    );
  });
}

export async function address(world: World, unit: string): Promise<string> {
  const found = (await world.status()).applications[unit.split('/')[0]!]!.units![unit]!['public-address'];
  if (found === undefined) throw new Error(`${unit} has no address`);
  return found;
}

/** Runs `work` and prints its duration: `bootstrap lxd: 31.2 s`. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}
