import { defined } from '../../core/defined.ts';
import { call } from '../../client/calls.ts';
import { isUnitName } from '../../core/names.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { namesToCatch } from './debug-names.ts';
import { debugCommand } from './debug-script.ts';
import { entranceOf } from './enter.ts';
import { isProxied, wayTo } from './hosts.ts';
import { runWithHosts } from './session.ts';
import { findTarget, fullStatus } from './targets.ts';

/** Opens a debug session on a unit's machine, and resolves with its exit code. */
export async function debugUnit(
  context: CommandContext,
  flags: {
    readonly model: string;
    readonly proxy: boolean | undefined;
    readonly noHostKeyChecks: boolean;
    /**
     * Whether programs get a pseudo-terminal. Undefined: as on the terminal, and always by ssh, since tmux needs one.
     */
    readonly pty: boolean | undefined;
  },
  request: { readonly args: readonly string[]; readonly at?: string },
): Promise<number> {
  const [target, ...names] = request.args;
  if (target === undefined) throw new UsageError('no unit name specified');
  if (!isUnitName(target) && !/^[^/]+\/leader$/.test(target))
    throw new UsageError(`"${target}" is not a valid unit name`);
  const session = await context.openModel(flags.model);
  const { connection } = session;
  const status = await fullStatus(connection);
  const { unit, machine } = findTarget(context, status, target);
  const url = status.applications[unit.slice(0, unit.indexOf('/'))]?.charm ?? '';
  const charm = await call(connection, 'Charms', 'CharmInfo', { url });
  const wishes = { unit, names: namesToCatch(unit, charm, names), ...defined({ at: request.at }) };
  const command = debugCommand(wishes);
  const entrance = await entranceOf(context, session, status);
  const tty = flags.pty ?? (context.io.stdin.isTTY && context.io.stdout.isTTY);
  const argv = await entrance?.(machine, { user: '', tty });
  if (argv) {
    await connection.close();
    // The machine's own /dev lacks this terminal, and tmux wants to open it.
    const onTerminal = `if [ -t 0 ] && command -v script >/dev/null; then exec script -qec '${command}' /dev/null; fi; exec ${command}`;
    return context.io.runOnTerminal([...argv, 'sh', '-c', onTerminal]);
  }
  const way = {
    proxy: await isProxied(session, flags.proxy),
    noHostKeyChecks: flags.noHostKeyChecks,
    port: 22,
  };
  const hosts = await wayTo(context, session, { machine, way, user: '' });
  await connection.close();
  return runWithHosts(context, hosts, (configFile) => [
    'ssh',
    '-F',
    configFile,
    ...(flags.pty === false ? ['-T'] : ['-t', '-t']),
    hosts[0]!.alias,
    '--',
    `sudo ${command}`,
  ]);
}
