/** Arguments and output of the commands about secret backends. */
import type { ResultOf } from '../client/calls.ts';
import { formatDuration, parseDuration } from '../core/duration.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';
import { text } from './flags.ts';
import { readMapFile, readText, splitKeyValues } from './key-values.ts';

type ListedBackend = ResultOf<'SecretBackends', 'ListSecretBackends'>['results'][number];

const rotateKey = 'token-rotate';

export const backendConfigFlag = {
  config: text('--config', 'Path to yaml configuration file', { completes: 'file' }),
};

/**
 * Reads the configuration of a backend: the file of --config, overridden by `key=value`. A value `@path` is the content
 * of that file. `rotate`: nanoseconds between two tokens.
 */
export async function readBackendArguments(
  context: CommandContext,
  words: readonly string[],
  file: string,
): Promise<{ config: Record<string, unknown>; rotate: number | undefined }> {
  const { files, values } = splitKeyValues(words);
  if (files.length > 0) throw new UsageError(`expected "key=value", got ${JSON.stringify(files[0])}`);
  for (const [key, value] of Object.entries(values))
    if (value.startsWith('@')) values[key] = await readText(context, value.slice(1));
  const given: Record<string, unknown> = {
    ...(file === '' ? {} : await readMapFile(context, file)),
    ...values,
  };
  const { [rotateKey]: rotate, ...config } = given;
  return { config, rotate: rotate === undefined ? undefined : nanoseconds(rotate) };
}

/** Splits the keys of --reset: the rotation of tokens is no key of the configuration. */
export function resetOf(keys: readonly string[]): { reset: string[]; rotate: number | undefined } {
  return {
    reset: keys.filter((key) => key !== rotateKey),
    rotate: keys.includes(rotateKey) ? 0 : undefined,
  };
}

function nanoseconds(value: unknown): number {
  let ms: number;
  try {
    ms = parseDuration(String(value));
  } catch (error) {
    throw new UsageError(`invalid token rotate interval: ${(error as Error).message}`);
  }
  if (ms < 0) throw new UsageError('token rotate interval cannot be negative');
  return ms * 1e6;
}

/** Describes a backend as `--format yaml` and `json` show it. */
export function describeBackend(backend: ListedBackend, { withId }: { readonly withId: boolean }): object {
  const { result, id, message, status, error } = backend;
  const rotate = result['token-rotate-interval'];
  return {
    backend: result['backend-type'],
    'token-rotate-interval': rotate === undefined ? undefined : formatDuration(rotate / 1e6),
    config: Object.keys(result.config).length > 0 ? result.config : undefined,
    secrets: backend['num-secrets'],
    status,
    message,
    id: withId ? id : undefined,
    error: error?.message,
  };
}
