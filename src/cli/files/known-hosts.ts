/** Host keys of machines in ssh's format, stored per machine because addresses are reused for other machines. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from '../../providers/toolkit/json-file.ts';
import type { ClientStore } from './client-store.ts';
import { writePrivate } from './write-private.ts';

/** Returns the path of the known hosts. `dir` is the folder of the client's files. */
export function knownHostsFile(dir: string): string {
  return join(dir, 'ssh', 'known_hosts');
}

interface MachineHost {
  readonly controllerUuid: string;
  readonly modelUuid: string;
  readonly instanceId: string;
}

/** Returns the name that a machine's keys are stored under (ssh's HostKeyAlias). */
function hostKeyAlias({ controllerUuid, modelUuid, instanceId }: MachineHost): string {
  return `${controllerUuid}/${modelUuid}/${instanceId}`;
}

/** Copies the host keys in the file `from` as the keys of the machine. */
export async function pinHostKeys(store: Locked, machine: MachineHost, sourceFile: string): Promise<void> {
  const keys = linesOf(await readFile(sourceFile, 'utf8')).map((line) =>
    line.replace(/^\S+/, hostKeyAlias(machine)),
  );
  await change(store, (lines) => [...lines, ...keys]);
}

/** Removes the host keys of all machines of a controller that is gone. */
export async function forgetHostKeys(store: Locked, controllerUuid: string): Promise<void> {
  await change(store, (lines) => lines.filter((line) => !line.startsWith(`${controllerUuid}/`)));
}

type Locked = Pick<ClientStore, 'dir' | 'locked'>;

async function change(store: Locked, fn: (lines: string[]) => string[]): Promise<void> {
  const path = knownHostsFile(store.dir);
  await store.locked(async () => {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isAbsent(error)) return '';
      throw error;
    });
    const before = linesOf(text);
    const after = fn(before);
    if (after.length !== before.length) await writePrivate(path, after.map((line) => `${line}\n`).join(''));
  });
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
