import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { render } from '../format/render.ts';
import { hooksFlag, restorePlan, restoreSummary, restoreTable } from '../restores.ts';

export const showRestore = command({
  name: 'show-restore',
  summary: 'Shows what is newer than the backup that a model was restored from.',
  details: `After restore-backup, instances, units and volumes may exist that the backup does not know, and agents may have
run hooks that it does not know. The command lists them, and what becomes of each when accept-restore is given. Until
then they stay as they are, and no hook runs. Only what agents have told and the cloud has listed is known.`,
  examples: ['show-restore', 'show-restore --hooks rerun', 'show-restore --format json'],
  seeAlso: ['accept-restore', 'restore-backup', 'explain'],
  flags: { ...modelFlags, ...hooksFlag, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, { model, hooks, format }, args) {
    noMoreArgs(args);
    const session = await context.openModel(model);
    const plan = await restorePlan(session.connection, hooks);
    if (format === 'tabular') context.info(restoreSummary(plan, session.model));
    await context.write(render(format, plan, { tabular: () => restoreTable(plan) }));
  },
});
