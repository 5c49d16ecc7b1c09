import { chmodSync, chownSync, readFileSync } from 'node:fs';

/**
 * Lets only root and the group of administrators read a log (machine-environment.md#unit-logs). The file stays as it is
 * where the machine does not allow a change: a log that others may read must not end the agent.
 */
export function restrictLog(path: string): void {
  try {
    chmodSync(path, 0o640);
    const gid = /^adm:[^:]*:(\d+):/m.exec(readFileSync('/etc/group', 'utf8'))?.[1];
    if (gid !== undefined) chownSync(path, -1, Number(gid));
  } catch {
    // The file is another user's, or the group has no number in this user namespace.
  }
}
