import { join } from 'node:path';

/** Returns the folder of the client's files (client-files.md#data-dir). */
export function dataDir(env: Readonly<Record<string, string | undefined>>, home: string): string {
  if (env['JUJU_DATA']) return env['JUJU_DATA'];
  if (env['XDG_DATA_HOME']) return join(env['XDG_DATA_HOME'], 'juju');
  return join(home, '.local', 'share', 'juju');
}
