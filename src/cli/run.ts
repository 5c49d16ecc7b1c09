import { parseFlags } from '../kit/gnuflag.ts';
import { globalFlags } from './command.ts';
import { CommandContext } from './context.ts';
import { Exit, UsageError } from './errors.ts';
import type { CliIo } from './io.ts';
import { findCommand } from './registry.ts';

/**
 * Runs the CLI once. `argv` excludes node and the script. Exit codes are Juju's: 0, 1 for an error, 2 for wrong usage;
 * 130 for what failed after ^C.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  try {
    const code = await dispatch(argv, io);
    return code !== 0 && io.signal.aborted ? 130 : code;
  } catch (error) {
    if (io.signal.aborted) return 130;
    if (error instanceof Exit) return error.code;
    io.stderr.write(`ERROR ${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError) return 2;
    const expected =
      error instanceof Error &&
      ['JujuError', 'Aborted', 'Error', 'ProviderError', 'SshError'].includes(error.name);
    if (!expected || io.env['GRIGRI_DEBUG']) io.stderr.write(`${(error as Error)?.stack ?? ''}\n`);
    return 1;
  }
}

async function dispatch(argv: readonly string[], io: CliIo): Promise<number> {
  const position = argv.findIndex((word) => !word.startsWith('-'));
  const globalWords = position < 0 ? argv : argv.slice(0, position);
  if (globalWords.includes('--version')) return dispatch(['version'], io);
  const name = argv[position];
  if (name === undefined)
    return dispatch(['help', ...(argv.includes('--help') || argv.includes('-h') ? ['basics'] : [])], io);
  const match = findCommand(name);
  if (!match) {
    io.stderr.write(`ERROR grigri: "${name}" is not a grigri command. See "grigri --help".\n`);
    const suggestion = await nearest(name);
    if (suggestion) io.stderr.write(`\nDid you mean:\n\t${suggestion}\n`);
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
    verbose: parsed.values['verbose'] === true || parsed.values['debug'] === true,
    outputFile: typeof parsed.values['output'] === 'string' ? parsed.values['output'] : '',
    runCli,
  });
  return (
    (await command.run({ context, flags: parsed.values, args: parsed.args, givenFlags: parsed.given })) ?? 0
  );
}

/** Returns the command whose name is closest by edit distance, if it is close enough. */
async function nearest(name: string): Promise<string | undefined> {
  const { editDistance } = await import('../core/edit-distance.ts');
  const { registry } = await import('./registry.ts');
  const names = Object.entries(registry).flatMap(([own, e]) => (e.hidden ? [] : [own, ...(e.aliases ?? [])]));
  const best = names.map((n) => ({ n, d: editDistance(name, n) })).sort((a, b) => a.d - b.d)[0];
  return best && best.d <= Math.max(2, name.length / 3) ? best.n : undefined;
}
