import { commandSets } from '../../core/block/blocks.ts';
import { call, errorOf } from '../../client/calls.ts';
import { blockOfSet, commandSetsHelp } from '../command-sets.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';

export const enableCommand = command({
  name: 'enable-command',
  summary: 'Enable commands that had been previously disabled.',
  usage: '<command set>',
  details: `Enables a set of commands that disable-command disabled.

${commandSetsHelp}`,
  examples: ['enable-command destroy-model', 'enable-command remove-object', 'enable-command all'],
  seeAlso: ['disable-command', 'disabled-commands'],
  completes: [Object.values(commandSets)],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [set, ...moreArgs] = args;
    const type = blockOfSet(set);
    noMoreArgs(moreArgs);
    const { connection } = await context.openModel(model);
    const { error } = await call(connection, 'Block', 'SwitchBlockOff', { type });
    if (error) throw errorOf(error);
  },
});
