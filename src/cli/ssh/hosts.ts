/** Way to a target over the network: its address, the host keys to expect, and what the connection goes through. */
import { readFile } from 'node:fs/promises';
import { call, only } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import { hostOf } from '../../core/names.ts';
import type { MachineStatus } from '../../wire/facades/client.ts';
import { machineTag } from '../../wire/tags.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { knownHostsFile } from '../files/known-hosts.ts';
import { findDataDir } from '../local-controller.ts';
import type { SshHost } from './config.ts';

interface Way {
  /** Whether the connection goes through the controller's host. */
  readonly proxy: boolean;
  readonly noHostKeyChecks: boolean;
  readonly port: number;
}

/** Whether connections go through the controller's host: as the flag says, otherwise as the model's setting does. */
export async function isProxied(session: ModelSession, flag: boolean | undefined): Promise<boolean> {
  return flag ?? (await call(session.connection, 'SSHClient', 'Proxy', {}))['use-proxy'];
}

/**
 * Returns the hosts of a way to the machine, the machine first. A container is reached through its host's ssh server.
 * Errors: `no address set`; `not found` without host keys to expect.
 */
export async function wayTo(
  context: CommandContext,
  session: ModelSession,
  { machine, way, user }: { readonly machine: MachineStatus; readonly way: Way; readonly user: string },
): Promise<readonly SshHost[]> {
  const hostId = hostOf(machine.id);
  const jumps =
    hostId !== machine.id
      ? await wayToHost(context, session, hostId, way)
      : way.proxy
        ? await wayToController(context, session)
        : [];
  const jump = jumps[0]?.alias;
  const keys = way.noHostKeyChecks ? 'unchecked' : await reportedKeys(context, session, machine);
  return [
    {
      alias: aliasOf(machine.id),
      address: await addressOf(context, session, {
        machine,
        keys,
        port: way.port,
        probe: jump === undefined,
      }),
      port: way.port,
      user: user || 'ubuntu',
      keys,
      ...defined({ jump }),
    },
    ...jumps,
  ];
}

function wayToHost(
  context: CommandContext,
  session: ModelSession,
  id: string,
  way: Way,
): Promise<readonly SshHost[]> {
  // The state of the host does not matter: a container on it runs.
  const machine = { id, 'agent-status': { status: 'started' } } as MachineStatus;
  return wayTo(context, session, { machine, way: { ...way, port: 22 }, user: '' });
}

/** Returns a name that ssh does not take for a pattern. */
function aliasOf(machine: string): string {
  return `machine-${machine.replaceAll('/', '-')}`;
}

/** Returns the way to the controller's host; an empty one when that is this host. */
async function wayToController(context: CommandContext, session: ModelSession): Promise<SshHost[]> {
  if ((await findDataDir(context, session.controller)) !== undefined) return [];
  const [endpoint = ''] = session.details['api-endpoints'];
  const address = endpoint.slice(0, endpoint.lastIndexOf(':')).replaceAll(/[[\]]/g, '');
  const file = knownHostsFile((await context.store()).dir);
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  // Keys of a controller's instance are kept under its uuid since bootstrap; keys of an existing host under its
  // address.
  const alias = lines.find((line) => line.startsWith(`${session.details.uuid}/`))?.split(' ')[0];
  return [{ alias: 'controller', address, port: 22, user: 'ubuntu', keys: { file, alias } }];
}

const attempts = 10;

/** Returns the host keys that the machine's agent reported; waits for an agent that is to start. */
async function reportedKeys(
  context: CommandContext,
  { connection }: ModelSession,
  machine: MachineStatus,
): Promise<readonly string[]> {
  const { clock, signal } = context.io;
  const isStarted = machine['agent-status'].status === 'started';
  for (let attempt = 1, ms = 1000; ; attempt++, ms = Math.min(2 * ms, 8000)) {
    try {
      const { results } = await call(connection, 'SSHClient', 'PublicKeys', entityOf(machine));
      return only(results)['public-keys'] ?? [];
    } catch (error) {
      if (!hasCode(error, 'not found') || !(error as Error).message.includes('keys')) throw error;
      if (isStarted)
        throw new JujuError(
          'not found',
          `machine "${machine.id}" has reported no SSH host keys: its ssh server is missing, or was installed within the last minute; --no-host-key-checks connects without`,
          { cause: error },
        );
      if (attempt === attempts) throw error;
      context.info(`retrieving SSH host keys for "${machine.id}": ${(error as Error).message}`);
      await clock.sleep(ms, signal);
    }
  }
}

function entityOf(machine: MachineStatus): { entities: { tag: string }[] } {
  return { entities: [{ tag: machineTag(machine.id) }] };
}

/**
 * Returns the address of the machine. Of several addresses, returns the one where an ssh server with an expected key
 * answers: addresses of private networks may also belong to other hosts near this client.
 */
async function addressOf(
  context: CommandContext,
  { connection }: ModelSession,
  params: {
    readonly machine: MachineStatus;
    readonly keys: readonly string[] | 'unchecked';
    readonly port: number;
    readonly probe: boolean;
  },
): Promise<string> {
  const { machine, keys, port } = params;
  const entities = entityOf(machine);
  if (!params.probe) {
    const { results } = await call(connection, 'SSHClient', 'PrivateAddress', entities);
    return only(results).address ?? '';
  }
  const { addresses } = only((await call(connection, 'SSHClient', 'AllAddresses', entities)).results);
  const [first] = addresses;
  if (first === undefined)
    throw new JujuError('no address set', `machine "${machine.id}" has no address yet`);
  if (addresses.length === 1) return first;
  const isExpected = (found: readonly string[]): boolean =>
    keys === 'unchecked' ? found.length > 0 : found.some((key) => keys.includes(key));
  const tried = addresses.map(async (address) => {
    if (isExpected(await context.io.hostKeysAt({ address, port }))) return address;
    throw new Error(address);
  });
  try {
    return await Promise.any(tried);
  } catch {
    throw new JujuError(
      'not found',
      `machine "${machine.id}" is not reached at any of its addresses: ${addresses.join(', ')} (port ${port})`,
    );
  }
}
