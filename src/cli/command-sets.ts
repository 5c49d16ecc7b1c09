/** Sets of commands that can be disabled in a model, as users name them. */
import { blockTypes, commandSets, type BlockType } from '../core/block/blocks.ts';
import type { JujuError } from '../core/errors.ts';
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
 * Returns the advice after the error of a disabled command. Controllers other than grigri's do not say which set is
 * disabled.
 */
export function enableAdvice({ info }: JujuError): string {
  const set = info?.['command-set'];
  const what =
    typeof set === 'string' && Object.hasOwn(disabled, set) ? disabled[set as CommandSet] : disabled.all;
  return `\n${what}\n\n    grigri enable-command ${typeof set === 'string' ? set : 'all'}\n\n`;
}

type CommandSet = (typeof commandSets)[BlockType];

const disabled: Readonly<Record<CommandSet, string>> = {
  'destroy-model': 'The destroy-model operation has been disabled for the current model.\nTo enable it, run',
  'remove-object':
    'All operations that remove machines, applications, units or relations have been disabled for the current model.\nTo enable removals, run',
  all: 'All operations that change model have been disabled for the current model.\nTo enable changes, run',
};
