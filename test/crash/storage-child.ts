/**
 * Process that storage-calls.test.ts kills: it takes a storage through steps, with the real calls of a machine or of
 * its host, and kills itself before the nth call of the last step that changes files, mounts or devices.
 */
import childProcess from 'node:child_process';
import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { StorageRecord } from '../../src/wire/agent-records.ts';

type Step = 'up' | 'mark' | 'check' | 'down' | 'end';
/** Kind of a storage; `volume`: a volume of the host; the other kinds belong to the machine. */
export type Kind = 'folder' | 'filesystem' | 'disk' | 'volume';

const [folder, kind, steps, killAt] = process.argv.slice(2) as [string, Kind, string, string];
let left = Infinity;

function reach(): void {
  if (--left > 0) return;
  process.kill(process.pid, 'SIGKILL');
  // The wait ensures that the signal has come before anything else happens.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

type Call = (...args: unknown[]) => unknown;
function watch(module: object, names: readonly string[]): void {
  const calls = module as Record<string, Call>;
  for (const name of names) {
    const real = calls[name]!;
    calls[name] = (...args) => {
      reach();
      return real(...args);
    };
  }
}
const changing = [
  'link',
  'mkdir',
  'open',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'writeFile',
];
watch(fs, changing);
watch(childProcess, ['execFile']);
syncBuiltinESMExports();

/** Path of the file or device that holds the data, or shows them. */
let place = '';
const text = 'kept';
/** Offset behind the structures at the beginning of a file system. */
const offset = 15 * 1024 ** 2;

async function ofMachine(): Promise<Record<'up' | 'down' | 'end', () => Promise<unknown>>> {
  const { storageHost } = await import('../../src/agent/machine/storage-host.ts');
  const host = storageHost({ dataDir: join(folder, 'data'), ownRoot: true, fstab: join(folder, 'fstab') });
  const isFolder = kind === 'folder';
  const record = {
    id: 'data/0',
    type: kind === 'disk' ? 'block' : 'filesystem',
    provider: isFolder ? 'rootfs' : 'loop',
    detachable: false,
    number: '0/0',
    ...(!isFolder && { volume: '0/0' }),
    size: 16,
    location: kind === 'disk' ? '' : join(folder, 'srv'),
    readOnly: false,
  } as unknown as StorageRecord;
  return {
    async up() {
      await host.make(record);
      const { path } = await host.mount(record);
      place = kind === 'disk' ? path : join(path, 'mark');
    },
    down: () => host.unmount(record),
    end: () => host.destroy(record),
  };
}

async function ofHost(): Promise<Record<'up' | 'down' | 'end', () => Promise<unknown>>> {
  const { createVolumes, volumesFolder } = await import('../../src/providers/clouds/local/volumes.ts');
  const { attachLoop } = await import('../../src/kit/loop-devices.ts');
  const { createLocks } = await import('../../src/kit/locks.ts');
  const { signal } = new AbortController();
  const ownVolumes = join(folder, 'own');
  mkdirSync(ownVolumes, { recursive: true });
  const open = { stateDir: folder, modelUuid: 'm', controllerUuid: 'c' } as never;
  mkdirSync(volumesFolder(open), { recursive: true });
  const source = createVolumes({
    open,
    loops: true,
    locks: createLocks(),
    machine: () => Promise.resolve({ ownVolumes }),
    prepare: () => Promise.resolve(),
  });
  const its = { id: '0', instanceId: 'i-0' };
  return {
    async up() {
      await source.create({ id: '0', size: 16, config: {}, tags: {} }, signal);
      await source.attach({ ...its, path: '', readOnly: false }, signal);
      // The machine's agent makes the device.
      place = await attachLoop(join(ownVolumes, '0'), false);
    },
    down: () => source.detach(its, signal),
    async end() {
      await source.detach(its, signal);
      await source.destroy(['0'], signal);
    },
  };
}

const acts = { ...(await (kind === 'volume' ? ofHost() : ofMachine())), mark, check };
const plan = steps.split(',') as Step[];
for (const [n, step] of plan.entries()) {
  if (n === plan.length - 1 && killAt !== '') left = Number(killAt);
  await acts[step]();
}

function mark(): void {
  const file = openSync(place, place.startsWith('/dev/loop') ? 'r+' : 'w');
  writeSync(file, text, offset);
  closeSync(file);
}

function check(): void {
  const file = openSync(place, 'r');
  const found = Buffer.alloc(text.length);
  readSync(file, found, 0, text.length, offset);
  closeSync(file);
  if (found.toString() !== text) throw new Error(`the data are lost: "${found.toString()}"`);
}
