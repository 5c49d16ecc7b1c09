import { command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import { parseScpArguments, type Place, type ScpArguments } from '../ssh/arguments.ts';
import type { SshHost } from '../ssh/config.ts';
import { copyArgv, type Side } from '../ssh/copy.ts';
import { entranceOf, type Entrance } from '../ssh/enter.ts';
import { isProxied, wayTo } from '../ssh/hosts.ts';
import { runWithHosts } from '../ssh/session.ts';
import { findTarget, fullStatus, isPlainHost, type FullStatus } from '../ssh/targets.ts';
import { sshFlags } from './ssh.ts';

export const scp = command({
  name: 'scp',
  summary: 'Securely transfer files within a model.',
  usage: '<source> <destination>',
  details: `A source or destination is a path here, or [user@]<target>:<path>, whose target is a machine, a unit, or an
application's leader. Options of the system's scp follow --, such as -r for folders. Between two machines, files go through
this host. Machines of a local controller need no ssh server: files are copied as root by tar, which knows -r and no other
option.`,
  examples: [
    'scp mysql/0:/var/log/syslog .',
    'scp file1 file2 ubuntu@mysql/leader:/tmp/',
    'scp -- -r ./conf 0:/etc/app',
    'scp mysql/0:/tmp/dump.sql 3:/tmp/',
  ],
  seeAlso: ['ssh'],
  interspersed: false,
  flags: sshFlags,
  async run(context, flags, args) {
    const request = parseScpArguments(args);
    const places = [...request.sources, request.destination];
    if (places.every(({ target }) => target === ''))
      throw new UsageError('no target is named: neither source nor destination is on a machine');
    const session = await context.openModel(flags.model);
    const status = await fullStatus(session.connection);
    const entrance = await entranceOf(context, session, status);
    const sides =
      entrance && (await Promise.all(places.map((place) => sideOf(context, place, { entrance, status }))));
    if (sides?.every((side) => side !== undefined)) {
      await session.connection.close();
      return enterAndCopy(context, sides, request);
    }
    return copyBySsh(context, { session, status, request, flags });
  },
});

/** Returns one side of a copy without ssh; undefined where a machine is not entered. */
async function sideOf(
  context: CommandContext,
  { user, target, path }: Place,
  { entrance, status }: { readonly entrance: Entrance; readonly status: FullStatus },
): Promise<Side | undefined> {
  if (target === '') return { enter: [], user: undefined, path };
  if (isPlainHost(target)) return undefined;
  const enter = await entrance(findTarget(context, status, target).machine, { user, tty: false });
  return enter && { enter, user: user || 'root', path };
}

/** Copies one source after the other, until the first failure. */
async function enterAndCopy(
  context: CommandContext,
  sides: readonly Side[],
  { recursive }: ScpArguments,
): Promise<number> {
  const sources = sides.slice(0, -1);
  const to = sides.at(-1)!;
  for (const source of sources) {
    const path = to.path || '.';
    const folder = { ...to, path: sources.length > 1 && !path.endsWith('/') ? `${path}/` : path };
    const copy = context.io.runOnTerminal(copyArgv(source, folder, { recursive }));
    const code = await context.progress(`Copying ${source.path}`, copy);
    if (code !== 0) return code;
  }
  return 0;
}

async function copyBySsh(
  context: CommandContext,
  params: {
    readonly session: ModelSession;
    readonly status: FullStatus;
    readonly request: ScpArguments;
    readonly flags: { readonly proxy: boolean | undefined; readonly noHostKeyChecks: boolean };
  },
): Promise<number> {
  const { session, status, request, flags } = params;
  const places = [...request.sources, request.destination];
  const remote = places.filter(({ target }) => target !== '');
  if (!flags.noHostKeyChecks && remote.some(({ target }) => isPlainHost(target)))
    throw new UsageError("can't determine host keys for all targets: consider --no-host-key-checks");
  const way = {
    proxy: await isProxied(session, flags.proxy),
    noHostKeyChecks: flags.noHostKeyChecks,
    port: request.port,
  };
  const hosts: SshHost[] = [];
  const aliases = new Map<string, string>();
  for (const { target } of remote) {
    if (aliases.has(target) || isPlainHost(target)) continue;
    const { machine } = findTarget(context, status, target);
    const found = await wayTo(context, session, { machine, way, user: '' });
    hosts.push(...found);
    aliases.set(target, found[0]!.alias);
  }
  await session.connection.close();
  const wordOf = ({ user, target, path }: Place): string =>
    target === '' ? path : `${user && `${user}@`}${aliases.get(target) ?? target}:${path}`;
  return runWithHosts(context, hosts, (configFile) => [
    'scp',
    '-F',
    configFile,
    // Machines do not know each other by these names, nor do they have the client's key.
    ...(remote.length > 1 ? ['-3'] : []),
    ...request.options,
    '--',
    ...places.map(wordOf),
  ]);
}
