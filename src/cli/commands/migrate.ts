import { migrateModel } from '../../operate/migrate.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';

export const migrate = command({
  name: 'migrate',
  summary: 'Migrate a workload model to another controller.',
  usage: '<model name> <destination controller name>',
  details: `Moves a model with everything in it to another controller that the client knows and is logged in to, as a
superuser of both. Charms go on with their work: no hook runs because of it. While its records are copied, the model does
not change. The command only begins the migration; "show-model" and "status" show how far it is. When a step fails, the
model stays where it is.

After the migration, the old controller sends agents and clients to the new one.

With --dry-run, both controllers check whether the model can be migrated, and nothing changes.`,
  examples: ['migrate mymodel newcontroller', 'migrate oldcontroller:mymodel newcontroller --dry-run'],
  seeAlso: ['login', 'controllers', 'status', 'show-model'],
  completes: ['model', 'controller'],
  flags: { dryRun: bool('--dry-run', 'Only check whether the model can be migrated') },
  async run(context, { dryRun }, args) {
    const [model, controller, ...moreArgs] = args;
    if (!model) throw new UsageError('model not specified');
    if (!controller) throw new UsageError('target controller not specified');
    noMoreArgs(moreArgs);
    const begun = migrateModel(context.client, { model, controller, dryRun });
    const id = await context.progress(`Checking model ${model} in both controllers`, begun);
    if (id === '') context.info('Dry run successful: migration can proceed');
    else context.info(`Migration started with ID "${id}"`);
  },
});
