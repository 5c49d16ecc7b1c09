/** Loop devices of machines: they are the host's, so that they stay when a machine has ended (storage.md#loop). */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freeLoops } from '../../../kit/loop-devices.ts';
import { containersAt } from './places.ts';
import { plainDataDir } from './plain.ts';
import { listInstanceIds } from './record.ts';

/** Detaches the devices of a machine without processes, and of the containers on it. Errors: while one is in use. */
export async function freeMachineLoops(folder: string): Promise<void> {
  const disks = join(plainDataDir(folder), 'storage', 'loop');
  for (const name of await namesIn(disks)) await freeLoops(join(disks, name));
  const within = join(plainDataDir(folder), containersAt);
  for (const model of await namesIn(within))
    for (const id of await listInstanceIds(join(within, model)))
      await freeMachineLoops(join(within, model, id));
}

/** The machine itself writes its folder: what is no folder is none. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
