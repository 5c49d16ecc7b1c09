import { realpath } from 'node:fs/promises';
import type { OpenParams } from '../../contract/provider.ts';

/** Folders that a machine cannot do without, or mounts its storage in. */
const needed: ReadonlySet<string> = new Set(
  [
    '/ /bin /boot /dev /etc /home /lib /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin',
    '/usr/lib /usr/lib64 /usr/local /usr/sbin /usr/share /var /var/cache /var/lib /var/lib/juju /var/log /var/log/juju',
    '/var/spool /var/tmp',
  ].flatMap((line) => line.split(' ')),
);

export type HiddenFolders = Pick<OpenParams, 'archivesDir' | 'privateDirs' | 'stateDir'>;

/**
 * The real paths of the folders of this host that a machine is not to see: a mount on a link would not hide what it
 * leads to. That of archives is left out if machines need it.
 */
export async function hiddenFolders({
  stateDir,
  privateDirs = [],
  archivesDir,
}: HiddenFolders): Promise<readonly string[]> {
  const real = (folder: string): Promise<string> => realpath(folder).catch(() => folder);
  const found = await Promise.all([stateDir, ...privateDirs].map(real));
  const archives = archivesDir === undefined ? [] : [await real(archivesDir)];
  return [...found, ...archives.filter((path) => !needed.has(path) && !path.includes('\n'))];
}
