import { realpath } from 'node:fs/promises';

/** Folders that a machine cannot do without, or mounts its storage in. */
const needed: ReadonlySet<string> = new Set(
  [
    '/ /bin /boot /dev /etc /home /lib /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin',
    '/usr/lib /usr/lib64 /usr/local /usr/sbin /usr/share /var /var/cache /var/lib /var/lib/juju /var/log /var/log/juju',
    '/var/spool /var/tmp',
  ].flatMap((line) => line.split(' ')),
);

/**
 * The real paths of the folders of this host that a machine is not to see: a mount on a link would not hide what it
 * leads to. Folders that a machine needs are left out.
 */
export async function hiddenFolders(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return found.filter((path) => !needed.has(path) && !path.includes('\n'));
}
