import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatBase, parseBase } from '../../../core/base.ts';
import type { Environ, ImageRegistry } from '../../contract/provider.ts';
import { createWorld, hostCapabilities, startParams, type World } from '../../../testing/provider-world.ts';
import { createLocalProvider } from './index.ts';
import { imagesFolder } from './images.ts';
import { baseOfRoot } from './root-files.ts';
import { packRoot } from '../../../testing/providers/small-root.ts';
import { eventually } from '../../../testing/eventually.ts';

const jammy = parseBase('ubuntu@22.04');
const unlike = parseBase('ubuntu@20.04');
const never = new AbortController().signal;
const runFile = promisify(execFile);

let world: World;
const provider = createLocalProvider();
beforeEach(() => {
  world = createWorld();
});
afterEach(async () => {
  await world.end(provider);
  expect(world.leftovers()).toEqual([]);
});

const enter = async (environ: Environ, id: string, ...command: string[]): Promise<string> => {
  const [program = '', ...args] = await environ.enter!(id, { tty: false });
  return (await runFile(program, [...args, ...command])).stdout.trim();
};
const add = async (environ: Environ, change?: (root: string) => void): Promise<ImageRegistry> => {
  const archive = packRoot(world.folder, { name: 'ubuntu', release: '22.04' }, change ? { change } : {});
  await environ.images!.add({ base: jammy, archive, progress: () => undefined }, never);
  return environ.images!;
};

describe.skipIf(!hostCapabilities().sandbox)('a machine', () => {
  test('A machine of a base with an image runs on the image, and on no files of the host', async () => {
    const environ = world.open(provider);
    await add(environ);
    const { instance } = await environ.instances.start(startParams(world, '0', { base: jammy }), never);
    const { id } = instance;
    expect(instance.message).toBe('');
    expect(await enter(environ, id, 'cat', '/etc/small')).toBe('ubuntu 22.04');
    expect(await enter(environ, id, 'sh', '-c', '. /etc/os-release; echo $ID@$VERSION_ID')).toBe(
      'ubuntu@22.04',
    );
    expect(await enter(environ, id, 'sh', '-c', 'ls /usr/bin/perl 2>&1 || :')).toMatch(/No such file/);
    expect(await enter(environ, id, 'hostname')).toBe(id);
    expect(await enter(environ, id, 'cat', '/etc/hostname')).toBe(id);
    expect(await enter(environ, id, 'cat', '/etc/hosts')).toContain(id);
    // The agent's loader and libraries come from the image or the agent's package.
    await eventually(async () =>
      expect(await enter(environ, id, 'cat', '/var/log/juju/machine-0.log')).toMatch(/^agent /),
    );
    // Writes of the machine do not reach the image.
    await enter(environ, id, 'sh', '-c', 'echo mine >/etc/small');
    const other = await environ.instances.start(startParams(world, '1', { base: jammy }), never);
    expect(await enter(environ, other.instance.id, 'cat', '/etc/small')).toBe('ubuntu 22.04');
  });

  test('A machine sees the images and its lower root read-only', async () => {
    const environ = world.open(provider);
    await add(environ);
    const { instance } = await environ.instances.start(startParams(world, '0', { base: jammy }), never);
    const { id } = instance;
    const [folder = ''] = readdirSync(join(imagesFolder(world.stateDir), 'ubuntu@22.04')).filter(
      (name) => name !== 'image.json',
    );
    const seen = join('/run/grigri/images/ubuntu@22.04', folder, 'etc/small');
    expect(await enter(environ, id, 'cat', seen, '/run/grigri/lower/etc/small')).toBe(
      'ubuntu 22.04\nubuntu 22.04',
    );
    for (const path of [seen, '/run/grigri/lower/etc/small'])
      await expect(enter(environ, id, 'touch', path)).rejects.toThrow(/Read-only/);
  });

  test('A machine keeps its image when that is replaced; later machines have the new one', async () => {
    const environ = world.open(provider);
    const params = startParams(world, '0', { base: jammy });
    const images = await add(environ);
    const { instance } = await environ.instances.start(params, never);
    await expect(images.remove(jammy)).rejects.toThrow('machines run on ubuntu@22.04');
    await add(environ, (root) => writeFileSync(join(root, 'etc/small'), 'newer'));
    const another = world.open(provider);
    const later = await another.instances.start(startParams(world, '7', { base: jammy }), never);
    expect(await enter(another, later.instance.id, 'cat', '/etc/small')).toBe('newer');
    const folders = (): string[] =>
      readdirSync(join(imagesFolder(world.stateDir), 'ubuntu@22.04')).filter((name) => name !== 'image.json');
    expect(folders()).toHaveLength(2);
    // The image stays the same after the machine died, too.
    const pid = Number(
      readFileSync(join(world.stateDir, environ.modelUuid, instance.id, 'pid'), 'utf8').split(' ')[0],
    );
    process.kill(pid, 'SIGKILL');
    await eventually(async () =>
      expect((await environ.instances.get([instance.id], never))[0]?.status).toBe('stopped'),
    );
    await environ.instances.start(params, never);
    expect(await enter(environ, instance.id, 'cat', '/etc/small')).toBe('ubuntu 22.04');
    await environ.destroyModel(never);
    expect(folders()).toHaveLength(1);
    await expect(images.remove(jammy)).rejects.toThrow('machines run on ubuntu@22.04');
    await another.destroyModel(never);
    await images.remove(jammy);
    expect(await images.list()).toEqual([]);
  });

  test('A machine of a base without an image runs on the host’s files and reports that', async () => {
    const environ = world.open(provider);
    const host = (await baseOfRoot('/'))!;
    await environ.precheck({ base: unlike, constraints: {} });
    const { instance } = await environ.instances.start(startParams(world, '0', { base: unlike }), never);
    expect(instance.base).toEqual(host);
    expect((await environ.instances.list(never))[0]?.base).toEqual(host);
    const same = await environ.instances.start(startParams(world, '1', { base: host }), never);
    expect(same.instance).not.toHaveProperty('base');
  });

  test('A machine of a base without an image is refused where configured, and leaves nothing', async () => {
    const environ = world.open(provider, { config: { 'base-mismatch': 'refuse' } });
    const host = formatBase((await baseOfRoot('/'))!);
    const message = `this cloud runs no machines of ubuntu@20.04, only of: ${host}, ubuntu@22.04; register a root file system with local-image add ubuntu@20.04, or set base-mismatch=warn`;
    expect((await environ.bases!()).map(formatBase)).toEqual([host]);
    await add(environ);
    expect((await environ.bases!()).map(formatBase)).toEqual([host, 'ubuntu@22.04']);
    await expect(environ.precheck({ base: unlike, constraints: {} })).rejects.toMatchObject({
      code: 'not valid',
      message,
    });
    await expect(
      environ.instances.start(startParams(world, '0', { base: unlike }), never),
    ).rejects.toMatchObject({ name: 'ProviderError', class: 'bad request', message });
    expect(await environ.instances.list(never)).toEqual([]);
    await environ.precheck({ base: jammy, constraints: {} });
    await environ.precheck({ base: parseBase(host), constraints: {} });
    await environ.instances.start(startParams(world, '0', { base: jammy }), never);
  });
});

test('Images are removed with the controller', async () => {
  const environ = world.open(provider);
  await environ.create(never);
  if (hostCapabilities().sandbox) await add(environ);
  await environ.destroyController(never);
  expect(existsSync(imagesFolder(world.stateDir))).toBe(false);
});

test('Process machines run on the host’s files whether or not there are images', async () => {
  const plain = createLocalProvider({
    probe: () => ({ sandbox: false, network: false, cgroups: undefined, loops: false }),
  });
  const environ = world.open(plain);
  const { instance } = await environ.instances.start(startParams(world, '0', { base: unlike }), never);
  expect(instance.base).toEqual(await baseOfRoot('/'));
  expect(await environ.bases!()).toEqual([await baseOfRoot('/')]);
  await expect(
    environ.images!.add({ base: jammy, archive: 'x', progress: () => undefined }, never),
  ).rejects.toMatchObject({ code: 'not supported' });
  const strict = world.open(plain, { config: { 'base-mismatch': 'refuse' } });
  await expect(strict.precheck({ base: unlike, constraints: {} })).rejects.toThrow(
    /only of: \S+; set base-mismatch=warn/,
  );
});
