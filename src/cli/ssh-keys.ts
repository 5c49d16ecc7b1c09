import { call, type ResultOf } from '../client/calls.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';

/**
 * Changes keys of a model. Failures are printed to stderr, one line each, and do not change the exit code, as scripts
 * expect.
 */
export async function changeSshKeys(
  context: CommandContext,
  { model, keys, method }: ChangeOfKeys,
): Promise<void> {
  const [what, verb] = words[method];
  if (keys.length === 0) throw new UsageError(`no ${what} specified`);
  const { connection, user } = await context.openModel(model);
  const { results }: ResultOf<'KeyManager', 'AddKeys'> = await call(connection, 'KeyManager', method, {
    user,
    'ssh-keys': [...keys],
  });
  for (const [i, { error }] of results.entries())
    if (error) context.io.stderr.write(`cannot ${verb} "${keys[i] ?? ''}": ${error.message}\n`);
}

interface ChangeOfKeys {
  readonly model: string;
  readonly keys: readonly string[];
  readonly method: keyof typeof words;
}

const words = {
  AddKeys: ['ssh key', 'add key'],
  DeleteKeys: ['ssh key', 'remove key id'],
  ImportKeys: ['ssh key id', 'import key id'],
} as const;
