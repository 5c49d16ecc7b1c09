/** Existing host, reached over ssh: inspected, opened for login, made a machine, and given back. */
import { Readable } from 'node:stream';
import { JujuError } from '../../../core/errors.ts';
import { SshError, createSsh, formatSshTarget, type Ssh, type SshTarget } from '../../toolkit/ssh/ssh.ts';
import { removalScript } from '../../toolkit/user-data/index.ts';
import { assignments, quoted } from '../../toolkit/user-data/shell.ts';
import type { Host, HostAccess } from '../../contract/enlist.ts';
import { hostAddresses } from './host-addresses.ts';
import { readHostFacts } from './host-facts.ts';
import {
  awaitInstallation,
  inspection,
  installation,
  letIn,
  managedStatus,
  refuseManaged,
  unlessOurs,
} from './scripts.ts';
import { defined } from '../../../core/defined.ts';

const alreadyMachine = 'machine is already provisioned';

/** Returns the instance id of a machine on the host: `manual:10.0.0.5`. */
export function instanceName({ host, port }: SshTarget): string {
  return `manual:${formatSshTarget({ host, ...defined({ port: port === undefined || port === 22 ? undefined : port }) })}`;
}

/**
 * Logs in as ubuntu if possible, else as the target's user, who creates the ubuntu login (machines.md#enlistment). A
 * root without sudo stays root. Errors: SshError; JujuError `already exists` (already a machine), `unauthorized access`
 * (no way to become root).
 */
export async function enterHost(access: HostAccess, signal: AbortSignal): Promise<Host> {
  const { target, knownHostsFile, ownKeys } = access;
  const ubuntu = createSsh({
    target: { ...target, user: 'ubuntu' },
    knownHostsFile,
    identityFiles: ownKeys,
    mayAsk: false,
  });
  if (await isRoot(ubuntu, signal)) return hostOf(ubuntu, sudo, false);
  const script = `${assignments({ KEYS: access.authorizedKeys.join('\n') })}${letIn}`;
  const { host, isRoot: mayStay } = await firstLogin(access, script, signal);
  try {
    if (await isRoot(ubuntu, signal)) return hostOf(ubuntu, sudo, host.isChanged);
    if (mayStay) return host;
  } catch (error) {
    await leaveQuietly(host);
    throw error;
  }
  await leaveQuietly(host);
  throw new JujuError(
    'unauthorized access',
    `ubuntu was made on ${target.host}, but cannot log in with ${ownKeys.join(', ')} or use sudo: see its sshd's AllowUsers and /etc/sudoers`,
  );
}

const sudo = 'sudo -n ';
const undoMs = 60_000;

async function isRoot(ssh: Ssh, signal: AbortSignal): Promise<boolean> {
  try {
    return (await ssh.run('sudo -n true', { signal })).code === 0;
  } catch (error) {
    if (error instanceof SshError && (error.kind === 'denied' || error.kind === 'failed')) return false;
    throw error;
  }
}

async function firstLogin(
  { target, knownHostsFile, identityFiles, mayAsk }: HostAccess,
  script: string,
  signal: AbortSignal,
): Promise<{ readonly host: Host; readonly isRoot: boolean }> {
  const ssh = createSsh({ target, knownHostsFile, identityFiles, mayAsk: false });
  const hostText = formatSshTarget(target);
  try {
    const { stdout } = await ssh.run('id -u', { signal });
    const isRoot = stdout.trim() === '0';
    if (isRoot || (await ssh.run('sudo -n true', { signal })).code === 0) {
      const become = isRoot ? '' : sudo;
      const host = hostOf(ssh, become, true);
      try {
        const result = await host.asRoot(script, signal);
        check(result, hostText);
        return { host: hostOf(ssh, become, result.stdout.includes('made')), isRoot };
      } catch (error) {
        // The login may have been created partly.
        await leaveQuietly(host);
        throw error;
      }
    }
    if (!mayAsk)
      throw new JujuError(
        'unauthorized access',
        `sudo on ${target.host} asks ${target.user ?? 'you'} for a password: run this on a terminal, or name a user who needs none`,
      );
  } catch (error) {
    if (!(error instanceof SshError) || error.kind !== 'denied' || !mayAsk) throw error;
  }
  // The command line shows only public keys.
  const words = quoted(`s=${quoted(script)}
if [ "$(id -u)" = 0 ]; then exec /bin/sh -c "$s"; else exec sudo /bin/sh -c "$s"; fi`);
  const asking = createSsh({ target, knownHostsFile, identityFiles, mayAsk: true });
  check({ code: await asking.onTerminal(`/bin/sh -c ${words}`, { signal }), stderr: '' }, hostText);
  return { host: hostOf(ssh, sudo, true), isRoot: false };
}

/** Removes the login, ignoring failures; the error that is thrown instead is more useful. */
async function leaveQuietly(host: Host): Promise<void> {
  if (host.isChanged) await host.leave(AbortSignal.timeout(undoMs)).catch(() => undefined);
}

function check({ code, stderr }: { readonly code: number; readonly stderr: string }, hostText: string): void {
  if (code === managedStatus) throw new JujuError('already exists', alreadyMachine);
  if (code !== 0)
    throw new JujuError(
      'unauthorized access',
      `cannot authorize keys of ubuntu as ${hostText}: ${lastLine(stderr) || `exit status ${code}`}`,
    );
}

function hostOf(ssh: Ssh, become: string, isChanged: boolean): Host {
  const where = ssh.target.host;
  const asRoot: Host['asRoot'] = (script, signal) =>
    ssh.run(`${become}/bin/sh -s`, { stdin: inBraces(script), signal });
  return {
    target: ssh.target,
    instanceId: instanceName(ssh.target),
    isChanged,
    addresses: () => hostAddresses(ssh.target),
    asRoot,

    async inspect(nonce, signal) {
      const { code, stdout, stderr } = await asRoot(
        `${assignments({ NONCE: nonce })}${unlessOurs}${inspection}`,
        signal,
      );
      if (code === managedStatus) throw new JujuError('already exists', alreadyMachine);
      if (code !== 0) throw new JujuError('', `cannot look at ${where}: ${lastLine(stderr)}`);
      return readHostFacts(stdout);
    },

    async install(script, { nonce, signal, progress }) {
      const remove = removalScript();
      const sizes = assignments({
        NONCE: nonce,
        INSTALL: String(bytes(script)),
        REMOVE: String(bytes(remove)),
      });
      // The end of this input before that of the script tells the host that the client is gone.
      const input = new Readable({ read: () => undefined });
      input.push(script + remove);
      let last = '';
      const onOutput = (line: string): void => {
        const own = /^juju: (.*)$/.exec(line)?.[1];
        last = own ?? last;
        progress(own ?? line);
      };
      try {
        const command = `${become}/bin/sh -c ${quoted(sizes + installation)}`;
        const { code } = await ssh.run(command, { stdin: input, signal, onOutput });
        if (code === managedStatus) throw new JujuError('already exists', alreadyMachine);
        if (code !== 0)
          throw new JujuError('', `cannot install the agent on ${where}: ${last || `exit status ${code}`}`);
      } finally {
        input.destroy();
      }
    },

    async leave(signal) {
      await asRoot(`${awaitInstallation}${refuseManaged}${removalScript()}`, signal);
    },

    async clean(signal) {
      try {
        const { code, stderr } = await asRoot(`${awaitInstallation}${removalScript()}`, signal);
        if (code !== 0)
          throw new JujuError('', `cannot clean ${where} up: ${lastLine(stderr) || `exit status ${code}`}`);
      } catch (error) {
        // The interrupted installation has removed the created login last, so the denial is expected.
        if (!(error instanceof SshError) || error.kind !== 'denied' || !isChanged) throw error;
      }
    },
  };
}

/** Wraps a script so that the shell reads it whole before running it, since its commands may read the same input. */
function inBraces(script: string): string {
  return `{\n${script}\n} </dev/null\n`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
