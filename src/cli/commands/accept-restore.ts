import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { confirm, mustAsk, promptFlags } from '../prompts.ts';
import { hooksFlag, parseHooks, restorePlan, restoreSummary, restoreTable } from '../restores.ts';

export const acceptRestore = command({
  name: 'accept-restore',
  summary: 'Lets a model go on that was restored from a backup.',
  details: `Shows what show-restore shows, asks, and then does it: hooks run again, and what is newer than the backup goes the
way that was shown. Without differences nothing is asked.

With --hooks keep, units whose agents have run hooks after the backup go on after them. With --hooks rerun they go on
where the backup has them: those hooks run again, and write again what was forgotten. A hook that was running while the
controller was restored is committed once in either case.`,
  examples: ['accept-restore', 'accept-restore --hooks rerun', 'accept-restore --no-prompt'],
  seeAlso: ['show-restore', 'restore-backup', 'reprovision-machine'],
  flags: { ...modelFlags, ...hooksFlag, ...promptFlags },
  async run(context, { model, hooks, ...prompt }, args) {
    noMoreArgs(args);
    const session = await context.openModel(model);
    const plan = await restorePlan(session.connection, hooks);
    const { restored, differences } = plan;
    context.info(restoreSummary(plan, session.model));
    if (restored?.state !== 'held') return;
    await context.write(restoreTable(plan));
    if (differences.length > 0 && mustAsk(prompt)) await confirm(context, 'accepting the restore');
    await call(session.connection, 'Provisioning', 'AcceptRestore', {
      restore: restored.id,
      hooks: parseHooks(hooks),
    });
    context.info(`Model "${session.model}" goes on.`);
  },
});
