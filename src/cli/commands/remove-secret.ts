import { allOk, call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { int } from '../flags.ts';
import { secretOf } from '../secret-content.ts';

export const removeSecret = command({
  name: 'remove-secret',
  summary: 'Removes an existing secret.',
  usage: '<ID>|<name>',
  details:
    'Removes all revisions of a secret of the model with their contents, or only the one that --revision names.',
  examples: ['remove-secret my-secret', 'remove-secret secret:9m4e2mr0ui3e8a215n4g --revision 4'],
  seeAlso: ['secrets', 'add-secret', 'update-secret'],
  flags: { ...modelFlags, revision: int('--revision', 'Remove the specified revision') },
  async run(context, { model, revision }, [argument, ...args], given) {
    if (!argument) throw new UsageError('missing secret URI');
    noMoreArgs(args);
    if (given.has('revision') && revision < 1) throw new UsageError('revision must be a positive number');
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Secrets', 'RemoveSecrets', {
      args: [
        { ...secretOf(argument), ...defined({ revisions: given.has('revision') ? [revision] : undefined }) },
      ],
    });
    allOk(results, () => argument);
  },
});
