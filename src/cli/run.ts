import { hasCode } from '../core/errors.ts';
import { parseFlags, withDashes } from '../kit/gnuflag.ts';
import { errorText } from '../kit/system-error.ts';
import { globalFlags } from './command.ts';
import { CommandContext } from './context.ts';
import { Exit, UnknownFlag, UsageError } from './errors.ts';
import type { CliIo, Output } from './io.ts';
import { asCalled } from './program.ts';
import { findCommand, registry } from './registry.ts';

/**
 * Runs the CLI once. `argv` excludes node and the script. Exit codes are Juju's: 0, 1 for an error, 2 for wrong usage;
 * 130 for a failure after ^C.
 */
export async function runCli(argv: readonly string[], effects: CliIo): Promise<number> {
  const io = { ...effects, stderr: namingProgram(effects) };
  try {
    const code = await dispatch(argv, io);
    return code !== 0 && io.signal.aborted ? 130 : code;
  } catch (error) {
    if (io.signal.aborted) return 130;
    if (error instanceof Exit) return error.code;
    io.stderr.write(`ERROR ${messageOf(error)}\n`);
    if (error instanceof UnknownFlag) {
      const { didYouMean } = await import('./suggest.ts');
      io.stderr.write(didYouMean(error.shown, error.known));
    }
    if (error instanceof UsageError) return 2;
    if (hasCode(error, 'operation is blocked')) {
      const { enableAdvice } = await import('./command-sets.ts');
      io.stderr.write(enableAdvice(error, argv, io.env));
    }
    const expected =
      error instanceof Error &&
      ['JujuError', 'Aborted', 'Error', 'ProviderError', 'SshError', 'TimeoutError'].includes(error.name);
    if (!expected || io.env['GRIGRI_DEBUG']) io.stderr.write(`${(error as Error)?.stack ?? ''}\n`);
    return 1;
  }
}

/** Returns stderr on which hints show the name by which the program was called. Results on stdout are left as they are. */
function namingProgram({ stderr, program }: CliIo): Output {
  return {
    get isTTY() {
      return stderr.isTTY;
    },
    get isClosed() {
      return stderr.isClosed;
    },
    write: (text) => stderr.write(asCalled(registry, program, text)),
    writeRaw: (text) => stderr.writeRaw(text),
  };
}

/** Returns the message of an error, without Node's advice to start it with other flags, which is of no use to users. */
function messageOf(error: unknown): string {
  const message = errorText(error);
  const advice = message.indexOf('Access to this API has been restricted');
  return advice < 0
    ? message
    : `${message.slice(0, advice)}files and programs cannot be used here, only in a terminal`;
}

async function dispatch(argv: readonly string[], io: CliIo): Promise<number> {
  const position = commandPosition(argv);
  const globalWords = position < 0 ? argv : argv.slice(0, position);
  if (globalWords.includes('--version')) return dispatch(['version'], io);
  const name = argv[position];
  if (name === undefined) {
    const { help } = parseFlags(globalFlags, globalWords, { interspersed: false }).values;
    return dispatch(['help', ...(help === true ? ['basics'] : [])], io);
  }
  const match = findCommand(name);
  if (!match) return missing(name, argv.slice(position + 1), io);
  if (io.allowed && !io.allowed.has(match.name)) {
    io.stderr.write(`ERROR "${name}" cannot be run here, only in a terminal: grigri ${match.name}\n`);
    return 2;
  }
  const command = await match.entry.load();
  const words = [...globalWords, ...argv.slice(position + 1)];
  const parsed = parseFlags({ ...globalFlags, ...command.flags }, words, {
    interspersed: command.interspersed,
  });
  if (parsed.values['help']) return dispatch(['help', match.name], io);
  await using context = new CommandContext(io, {
    quiet: parsed.values['quiet'] === true,
    verbose:
      parsed.values['verbose'] === true ||
      parsed.values['debug'] === true ||
      saysMore(io.env['JUJU_STARTUP_LOGGING_CONFIG'] ?? ''),
    outputFile: textOf(parsed.values['output']),
    runCli,
    command: match.name,
    model: textOf(parsed.values['model']) || io.env['JUJU_MODEL'] || '',
  });
  return (
    (await command.run({ context, flags: parsed.values, args: parsed.args, givenFlags: parsed.given })) ?? 0
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether log levels set `<root>` to DEBUG or TRACE, or consist of such a level alone. */
function saysMore(levels: string): boolean {
  return levels.split(';').some((one) => /^(?:<root>=)?(?:DEBUG|TRACE)$/i.test(one.trim()));
}

/**
 * Returns the position of the first word that is neither a flag nor the value of a global flag; -1 when there is none.
 */
function commandPosition(argv: readonly string[]): number {
  const takingValues = Object.values(globalFlags).filter((flag) => flag.takesValue);
  const names = new Set(takingValues.flatMap((flag) => flag.names.map(withDashes)));
  return argv.findIndex((word, index) => !word.startsWith('-') && !names.has(argv[index - 1] ?? ''));
}

/** Runs the plugin of this name, or says why there is no such command. */
async function missing(name: string, args: readonly string[], io: CliIo): Promise<number> {
  const { findPlugin, pluginNames, runPlugin } = await import('./plugins.ts');
  const { program } = io;
  const plugin = findPlugin(io, name);
  if (plugin !== undefined && !io.allowed) return runPlugin(io, plugin, args);
  const { refusalOf } = await import('./refused.ts');
  const reason = refusalOf(name);
  if (reason !== undefined) {
    io.stderr.write(`ERROR grigri does not have Juju's command "${name}": ${reason}\n`);
    return 1;
  }
  io.stderr.write(`ERROR ${program}: "${name}" is not a ${program} command. See "${program} --help".\n`);
  const { didYouMean } = await import('./suggest.ts');
  const names = Object.entries(registry).flatMap(([own, e]) => (e.hidden ? [] : [own, ...(e.aliases ?? [])]));
  io.stderr.write(didYouMean(name, [...names, ...pluginNames(io)]));
  return 2;
}
