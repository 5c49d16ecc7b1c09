import { call, errorOf } from '../../client/calls.ts';
import { spaceTag } from '../../wire/tags.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { checkedSpace } from '../spaces.ts';

export const renameSpace = command({
  name: 'rename-space',
  summary: 'Rename a network space.',
  usage: '<old-name> <new-name>',
  details:
    'Renames a space. Constraints, bindings and what else names it follow; the space "alpha" keeps its name.',
  examples: ['rename-space db databases'],
  seeAlso: ['add-space', 'spaces', 'show-space'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [oldName, newName, ...moreArgs] = args;
    const from = checkedSpace(oldName);
    if (!newName) throw new UsageError('new space name is required');
    const to = checkedSpace(newName);
    noMoreArgs(moreArgs);
    if (from === to) throw new UsageError('old-name and new-name are the same');
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Spaces', 'RenameSpace', {
      changes: [{ 'from-space-tag': spaceTag(from), 'to-space-tag': spaceTag(to) }],
    });
    const error = results[0]?.error;
    if (error) throw errorOf({ ...error, message: `cannot rename space "${from}": ${error.message}` });
    context.info(`renamed space "${from}" to "${to}"`);
  },
});
