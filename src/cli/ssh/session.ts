/** Runs of the system's ssh or scp with a configuration of their own. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../kit/stale-folders.ts';
import type { CommandContext } from '../context.ts';
import { sshKeyFile } from '../files/ssh-key.ts';
import { renderConfig, renderKnownHosts, type SshHost } from './config.ts';

/** Name of the file of the host keys: ssh prints it when it refuses another key. */
const knownHosts = 'keys-reported-by-agents';

/** Runs the program on the terminal with the hosts known by their aliases, and resolves with its exit code. */
export async function runWithHosts(
  context: CommandContext,
  hosts: readonly SshHost[],
  argv: (configFile: string) => readonly string[],
): Promise<number> {
  const folder = await makeTemporaryFolder('grigri-ssh-');
  try {
    const [configFile, knownHostsFile] = [join(folder, 'config'), join(folder, knownHosts)];
    const once = [...new Map(hosts.map((host) => [host.alias, host])).values()];
    const config = renderConfig({
      hosts: once,
      identityFile: sshKeyFile((await context.store()).dir),
      knownHostsFile,
      include: [join(context.io.home, '.ssh', 'config'), '/etc/ssh/ssh_config'],
    });
    await writeFile(configFile, config, { mode: 0o600 });
    await writeFile(knownHostsFile, renderKnownHosts(once), { mode: 0o600 });
    return await context.io.runOnTerminal(argv(configFile));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
