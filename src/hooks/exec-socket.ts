/** Socket of `juju-exec` on a machine: root runs commands in a unit's context, or in none. */
import type { Server, Socket } from 'node:net';
import { JujuError } from '../core/errors.ts';
import { isUnitName } from '../core/names.ts';
import type { Log } from '../kit/log.ts';
import { UsageError } from '../kit/gnuflag.ts';
import { optionLines } from './help.ts';
import { parseArguments } from './parse-arguments.ts';
import type { CapturedOutput } from './capture.ts';
import { answer, ByteReader, frame, listenPrivately, readRequest } from './socket.ts';
import type { Flags } from './tool.ts';
import { defined } from '../core/defined.ts';

export interface ExecRequest {
  readonly command: string;
  /** Name or tag as given; '' = the only unit on the machine; absent = no unit's context. */
  readonly unit?: string;
  /** Relation as given: `db:7` or `7`. */
  readonly relation?: string;
  readonly remoteUnit?: string;
  readonly remoteApplication?: string;
  /** True when the remote unit may be gone; absent when it has to exist. */
  readonly forceRemoteUnit?: true;
}

export interface ExecResult {
  /** Exit code; absent when the commands could not run, or were killed. */
  readonly code?: number;
  readonly message?: string;
  readonly output: CapturedOutput;
}

const flags = {
  unit: { kind: 'string', short: 'u', help: 'The unit in whose context the commands run' },
  'no-context': { kind: 'bool', help: 'Do not run the commands in a unit context' },
  relation: {
    kind: 'string',
    short: 'r',
    help: 'Run the commands for a specific relation context on a unit',
  },
  'remote-unit': {
    kind: 'string',
    help: 'Run the commands for a specific remote unit in a relation context',
  },
  'remote-app': {
    kind: 'string',
    help: 'Run the commands for a specific remote application in a relation context',
  },
  'force-remote-unit': { kind: 'bool', help: 'Run the commands for a remote unit that has gone' },
  operator: { kind: 'bool', help: 'Accepted for charms of Kubernetes: without effect on machines' },
} as const satisfies Flags;

const usage = `Usage: juju-exec [options] [<unit>] <commands>

Runs the commands on this machine in the hook context of a unit, which is left out when the machine has one only.

Options:
${optionLines(flags, () => undefined).join('\n')}
`;

interface ExecSocketOptions {
  /** Path of the socket; see listenPrivately. */
  readonly path: string;
  readonly log: Log;
  /** Runs the commands; an abort kills them. Errors: JujuError for a unit or relation that does not exist. */
  readonly run: (request: ExecRequest, signal: AbortSignal) => Promise<ExecResult>;
}

/** Opens the socket. Errors: as listenPrivately. */
export async function openExecSocket(options: ExecSocketOptions): Promise<AsyncDisposable> {
  const server = await listenPrivately(options.path);
  const connections = new Set<Socket>();
  server.on('error', (error) => options.log.error('socket of juju-exec failed', { error }));
  server.on('connection', (connection) => {
    connections.add(connection);
    connection.on('error', () => connection.destroy());
    connection.on('close', () => connections.delete(connection));
    void serve(connection, options);
  });
  return { [Symbol.asyncDispose]: () => close(server, connections) };
}

async function close(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const connection of connections) connection.destroy();
  await closed;
}

async function serve(connection: Socket, { run, log }: ExecSocketOptions): Promise<void> {
  const clientGone = new AbortController();
  connection.on('close', () => clientGone.abort(new JujuError('', 'juju-exec was ended')));
  try {
    const { args } = await readRequest(new ByteReader(connection));
    const request = parseExec(args);
    if (request === 'help') return answer(connection, [frame('o', usage), frame('x', [0])]);
    const { code, message, output } = await run(request, clientGone.signal);
    answer(connection, [
      ...(output.stdout === undefined ? [] : [frame('o', bytesOf(output, 'stdout'))]),
      ...(output.stderr === undefined ? [] : [frame('e', bytesOf(output, 'stderr'))]),
      ...(message === undefined || code !== undefined ? [] : [frame('e', `ERROR ${message}\n`)]),
      frame('x', [code ?? 1]),
    ]);
  } catch (error) {
    if (clientGone.signal.aborted) return;
    if (!(error instanceof JujuError) && !(error instanceof UsageError))
      log.error('juju-exec failed', { error });
    const message = error instanceof Error ? error.message : String(error);
    answer(connection, [frame('e', `ERROR ${message}\n`), frame('x', [error instanceof UsageError ? 2 : 1])]);
  }
}

function bytesOf(output: CapturedOutput, stream: 'stdout' | 'stderr'): Buffer {
  return Buffer.from(output[stream] ?? '', output[`${stream}-encoding`] ?? 'utf8');
}

/** Parses the command line; `juju-exec UNIT COMMANDS` is the older form. Errors: UsageError. */
export function parseExec(argv: readonly string[]): ExecRequest | 'help' {
  const { help, args, flags: values } = parseArguments(argv, flags);
  if (help) return 'help';
  const text = (name: keyof typeof flags): string => String(values[name]);
  const commands = [...args];
  const takesUnit = text('unit') === '' && !values['no-context'];
  const isOldForm = takesUnit && (commands.length > 1 || isUnitName(commands[0] ?? ''));
  const unit = isOldForm ? commands.shift()! : text('unit');
  if (values['no-context'] && (unit !== '' || text('relation') !== ''))
    throw new UsageError('--no-context takes neither a unit nor a relation');
  for (const [what, name] of [
    ['unit', text('remote-unit')],
    ['application', text('remote-app')],
  ] as const)
    if (name !== '' && text('relation') === '')
      throw new UsageError(`remote ${what}: ${name}, provided without a relation`);
  const command = commands.join(' ');
  if (command.trim() === '') throw new UsageError('missing commands');
  if (values['no-context']) return { command };
  return {
    command,
    unit,
    ...defined({
      relation: text('relation') || undefined,
      remoteUnit: text('remote-unit') || undefined,
      remoteApplication: text('remote-app') || undefined,
      forceRemoteUnit: values['force-remote-unit'] === true || undefined,
    }),
  };
}
