/**
 * Enlistment by `add-machine ssh:user@host`: an existing host becomes a machine of the model (machines.md#enlistment).
 */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Connection } from '../client/connection.ts';
import { JujuError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { readGiven, type GivenFiles } from '../kit/given-file.ts';
import type { Host, Provider } from '../providers/contract/provider.ts';
import { parseSshTarget } from '../providers/toolkit/ssh/ssh.ts';
import { allOk, call, only } from '../client/calls.ts';
import type { checkedConstraints } from '../operate/constraints.ts';
import type { CommandContext } from './context.ts';
import { describeHost } from './describe-host.ts';
import { UsageError } from './errors.ts';
import { ensureSshKey } from './files/ssh-key.ts';
import { defined } from '../core/defined.ts';

/** Time limit of undoing an enlistment after a failure, in milliseconds. */
const undoMs = 120_000;

interface EnlistArgs {
  /** Login as `user@host`. */
  readonly login: string;
  readonly constraints: Awaited<ReturnType<typeof checkedConstraints>>;
  /** Paths of key files; '' means none. */
  readonly privateKey: string;
  readonly publicKey: string;
}

/**
 * Makes the host a machine and returns the machine's id. A failure or ^C leaves neither a machine nor changes on the
 * host.
 */
export async function enlist(
  context: CommandContext,
  connection: Connection,
  { login, constraints, privateKey, publicKey }: EnlistArgs,
): Promise<string> {
  const { io } = context;
  const { signal } = io;
  const target = targetOf(login);
  const enterHost = await findEnlist(context);
  const { dir } = await context.store();
  const ownKey = await ensureSshKey(dir);
  const ownKeyFiles = [join(dir, 'ssh', 'juju_id_rsa')];
  const givenKeyFiles = privateKey ? [resolve(io.cwd, privateKey)] : [];
  context.info(`Logging in on ${target.host}`);
  const host = await enterHost(
    {
      target,
      knownHostsFile: join(dir, 'ssh', 'known_hosts'),
      ownKeys: [...ownKeyFiles, ...givenKeyFiles],
      identityFiles: givenKeyFiles,
      authorizedKeys: [ownKey, ...(publicKey ? [await publicLine(io, publicKey)] : [])],
      mayAsk: io.stdin.isTTY && io.stderr.isTTY,
    },
    signal,
  );
  const { instanceId } = host;
  const nonce = `${instanceId}:${randomUUID()}`;
  let machine: string | undefined;
  try {
    const facts = await host.inspect(nonce, signal);
    context.info(`${target.host} has ${describeHost(facts)}`);
    const { arch, cores, mem } = facts.hardware;
    const { machines } = await call(connection, 'MachineManager', 'AddMachines', {
      params: [
        {
          base: { ...facts.base },
          constraints,
          jobs: ['JobHostUnits'],
          'parent-id': '',
          'container-type': '',
          'instance-id': instanceId,
          nonce,
          'hardware-characteristics': {
            ...defined({ arch: arch || undefined, 'cpu-cores': cores || undefined, mem: mem || undefined }),
          },
          addresses: await host.addresses(),
        },
      ],
    });
    machine = only(machines).machine;
    signal.throwIfAborted();
    const { script } = await call(connection, 'MachineManager', 'ProvisioningScript', {
      'machine-id': machine,
      nonce,
      'data-dir': '',
      'disable-package-commands': false,
    });
    context.info(`Installing the agent of machine ${machine}`);
    await host.install(script, { nonce, signal, progress: (line) => context.info(`  ${line}`) });
    return machine;
  } catch (error) {
    if (signal.aborted) context.info('Interrupted: undoing all changes');
    await undo(context, connection, { host, machine });
    throw error;
  }
}

/**
 * Finds a provider that enlists hosts. The model's cloud does not matter: enlisted hosts may be machines of any model.
 */
async function findEnlist({ io }: CommandContext): Promise<NonNullable<Provider['enlist']>> {
  for (const { enlist: enter } of (await io.providers()).values()) if (enter) return enter;
  throw new JujuError('not supported', 'no provider supports existing hosts as machines');
}

async function undo(
  context: CommandContext,
  connection: Connection,
  { host, machine }: { readonly host: Host; readonly machine: string | undefined },
): Promise<void> {
  const signal = AbortSignal.timeout(undoMs);
  if (machine === undefined) {
    if (host.isChanged)
      await warnOnFailure(
        context,
        `cannot remove the access of user ubuntu from ${host.target.host}`,
        host.leave(signal),
      );
    return;
  }
  await warnOnFailure(
    context,
    `cannot remove machine ${machine}: run "${context.lineFor(`remove-machine ${machine} --force`)}"`,
    call(connection, 'MachineManager', 'DestroyMachineWithParams', {
      'machine-tags': [`machine-${machine}`],
      force: true,
      'max-wait': 0,
    }).then(({ results }) => allOk(results, () => `machine ${machine}`)),
  );
  await warnOnFailure(
    context,
    `cannot clean up ${host.target.host}: run /usr/sbin/remove-juju-services there`,
    host.clean(signal),
  );
}

async function warnOnFailure(
  context: CommandContext,
  warning: string,
  work: Promise<unknown>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    context.warning(`${warning} (${error instanceof Error ? error.message : String(error)})`);
  }
}

function targetOf(login: string): ReturnType<typeof parseSshTarget> {
  try {
    return parseSshTarget(login);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function publicLine(files: GivenFiles, path: string): Promise<string> {
  const line = (await readGiven(files, path, limits.keyFile.max)).toString().trim();
  if (!/^[a-z][a-z0-9@.-]* [A-Za-z0-9+/=]+( [^\n]*)?$/.test(line))
    throw new JujuError('not valid', `${path} is not an SSH public key`);
  return line;
}
