/** Sets of commands that can be disabled in a model, as users name them. */
import { blockTypes, commandSets, type BlockType } from '../core/block/blocks.ts';
import { JujuError } from '../core/errors.ts';
import { UsageError } from './errors.ts';

export const commandSetsHelp = `The sets, each of which has the commands of those before it:

    destroy-model   destroy-model, destroy-controller
    remove-object   remove-application, remove-machine, remove-relation, remove-ssh-key, remove-storage, remove-unit
    all             all commands that change the model`;

/** Reads the argument that names a set. Errors: UsageError. */
export function blockOfSet(set: string | undefined): BlockType {
  const options = Object.values(commandSets).sort().join(', ');
  if (set === undefined) throw new UsageError(`missing command set (${options})`);
  const type = blockTypes.find((one) => commandSets[one] === set);
  if (!type) throw new UsageError(`bad command set, valid options: ${options}`);
  return type;
}

/** Returns the name of the set that a block disables; an unknown type is returned unchanged. */
export function setOfBlock(type: string): string {
  return Object.hasOwn(commandSets, type) ? commandSets[type as BlockType] : type;
}

/**
 * Rejects like `work`, which changes a model that no -m names: the advice about a disabled command is about that one.
 * `model`: `controller:model`.
 */
export async function inModel<T>(model: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof JujuError) || error.code !== 'operation is blocked') throw error;
    throw new JujuError(error.code, error.message, { cause: error, info: { ...error.info, model } });
  }
}

/**
 * Returns the advice after the error of a disabled command: for the model that the error, the command line or the
 * environment names, else the current one. Controllers other than grigri's do not say which set is disabled.
 */
export function enableAdvice(
  { info }: JujuError,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string {
  const model = (info?.['model'] as string | undefined) ?? modelIn(argv) ?? (env['JUJU_MODEL'] || undefined);
  const set = info?.['command-set'];
  const what =
    typeof set === 'string' && Object.hasOwn(disabled, set) ? disabled[set as CommandSet] : disabled.all;
  const command = `grigri enable-command ${typeof set === 'string' ? set : 'all'}`;
  if (model === undefined) return `\n${what}\n\n    ${command}\n\n`;
  return `\n${what.replace('the current model', `model "${model}"`)}\n\n    ${command} -m ${model}\n\n`;
}

/** Returns the value of the flag -m of a command line. */
function modelIn(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  const at = flags.findIndex((word) => /^(-m|--model)(=|$)/.test(word));
  if (at < 0) return undefined;
  const [, value] = /=(.*)/s.exec(flags[at]!) ?? [];
  return value ?? flags[at + 1];
}

type CommandSet = (typeof commandSets)[BlockType];

const disabled: Readonly<Record<CommandSet, string>> = {
  'destroy-model': 'The destroy-model operation has been disabled for the current model.\nTo enable it, run',
  'remove-object':
    'All operations that remove machines, applications, units or relations have been disabled for the current model.\nTo enable removals, run',
  all: 'All operations that change model have been disabled for the current model.\nTo enable changes, run',
};
