import { commandSets } from '../../core/block/blocks.ts';
import { call, errorOf } from '../../client/calls.ts';
import { blockOfSet, commandSetsHelp } from '../command-sets.ts';
import { command, modelFlags } from '../command.ts';

export const disableCommand = command({
  name: 'disable-command',
  summary: 'Disable commands for the model.',
  usage: '<command set> [message...]',
  details: `Disables a set of commands in a model, so that nobody runs them by mistake. The message tells why: whoever
runs a disabled command is shown it.

${commandSetsHelp}`,
  examples: [
    'disable-command destroy-model "Check with SA before destruction."',
    'disable-command remove-object',
    'disable-command all "Just made this model, touch nothing."',
  ],
  seeAlso: ['disabled-commands', 'enable-command'],
  completes: [Object.values(commandSets)],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [set, ...words] = args;
    const type = blockOfSet(set);
    const { connection } = await context.openModel(model);
    const { error } = await call(connection, 'Block', 'SwitchBlockOn', { type, message: words.join(' ') });
    if (error) throw errorOf(error);
  },
});
