/** Sessions of debug-hooks and debug-code on a machine, as the agent finds them (logging-in.md#debug-sessions). */
import { execFile } from 'node:child_process';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../core/defined.ts';
import { readYamlValue } from '../kit/yaml/read.ts';
import { systemPath } from './environment.ts';

/** Session that catches a hook. */
export interface DebugSession {
  /** JUJU_DEBUG_AT of debug-code, which runs hooks; absent for debug-hooks, which leaves hooks to the user. */
  readonly at?: string;
}

/**
 * Returns the path where a session leaves its wishes: in /tmp; on a machine that is a set of processes, in the
 * machine's folder.
 */
export function debugFile(unit: string, instance = process.env['GRIGRI_INSTANCE']): string {
  return join(instance ?? '/tmp', `juju-unit-${unit.replaceAll('/', '-')}-debug-hooks`);
}

/** Returns the environment of the programs that look at and enter a session. */
export function debugEnvironment(
  toolsDir: string,
  instance = process.env['GRIGRI_INSTANCE'],
): Record<string, string> {
  const path = { PATH: `${toolsDir}:${systemPath}` };
  // Another machine of the host may have a unit of the same name.
  return instance === undefined ? path : { ...path, TMUX_TMPDIR: instance };
}

/** Maximum size in bytes of a file of wishes that is read. */
const fileMax = 64 * 1024;

/**
 * Returns the session that catches this hook or action of the unit. A file that no process locks any more, or that
 * another user than the agent's owns, is ignored.
 */
export async function findDebugSession(params: {
  readonly unit: string;
  /** Names by which the session may have asked for the hook or action. */
  readonly names: readonly string[];
  readonly toolsDir: string;
  readonly file?: string;
}): Promise<DebugSession | undefined> {
  const { unit, names, toolsDir, file = debugFile(params.unit) } = params;
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile() || found.uid !== process.getuid?.() || found.size > fileMax) return undefined;
  const wishes = parseWishes(await readFile(file, 'utf8').catch(() => ''));
  if (!wishes || (wishes.hooks.length > 0 && !names.some((name) => wishes.hooks.includes(name))))
    return undefined;
  const env = debugEnvironment(toolsDir);
  if ((await exitCode('flock', ['-n', file, 'true'], env)) === 0) return undefined;
  if ((await exitCode('tmux', ['has-session', '-t', `=${unit}`], env)) !== 0) return undefined;
  return defined({ at: wishes.at });
}

/** Reads the wishes; undefined when the text is invalid. No names, or `*`, mean all. */
function parseWishes(text: string): { readonly hooks: readonly string[]; readonly at?: string } | undefined {
  let value: unknown;
  try {
    value = readYamlValue(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { hooks, 'debug-at': at } = value as Record<string, unknown>;
  if (hooks !== undefined && hooks !== null && !Array.isArray(hooks)) return undefined;
  const names = ((hooks ?? []) as unknown[]).filter((name) => typeof name === 'string');
  return {
    hooks: names.includes('*') ? [] : names,
    ...defined({ at: typeof at === 'string' && at !== '' ? at : undefined }),
  };
}

/** Returns the exit code of a program that takes no longer than ten seconds; -1 when it did not end by itself. */
function exitCode(program: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  return new Promise((resolve) =>
    execFile(program, args, { env, timeout: 10_000 }, (error) =>
      resolve(error ? (typeof error.code === 'number' ? error.code : -1) : 0),
    ),
  );
}
