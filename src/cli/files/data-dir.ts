import { join } from 'node:path';

/** Where the client's files are: `$JUJU_DATA`, else `$XDG_DATA_HOME/juju`, else `~/.local/share/juju`. */
export function dataDir(env: Readonly<Record<string, string | undefined>>, home: string): string {
  if (env['JUJU_DATA']) return env['JUJU_DATA'];
  if (env['XDG_DATA_HOME']) return join(env['XDG_DATA_HOME'], 'juju');
  return join(home, '.local', 'share', 'juju');
}
