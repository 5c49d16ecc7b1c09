import { call } from '../calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';

export const removeRelation = command({
  name: 'remove-relation',
  summary: 'Removes an existing relation between two applications.',
  usage: '<application1>[:<endpoint1>] <application2>[:<endpoint2>] | <relation-id>',
  details: `The units of both applications run their hooks for leaving the relation. Relation ids are shown by
show-unit. With --force, errors on the way are passed over.`,
  examples: [
    'remove-relation mysql wordpress',
    'remove-relation 4',
    'remove-relation mysql:db wordpress:db --force',
  ],
  seeAlso: ['integrate', 'remove-application'],
  completes: ['application'],
  flags: { ...modelFlags, force: bool('--force', 'Force remove a relation') },
  async run(context, { model, force }, args) {
    const byId = args.length === 1 && /^\d+$/.test(args[0]!);
    if (!byId && args.length !== 2) throw new UsageError('a relation must involve two applications');
    const { connection } = await context.openModel(model);
    await call(connection, 'Application', 'DestroyRelation', {
      ...(byId ? {} : { endpoints: [...args] }),
      'relation-id': byId ? Number(args[0]) : 0,
      ...(force ? { force: true } : {}),
    });
  },
});
