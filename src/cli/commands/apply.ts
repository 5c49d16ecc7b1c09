import { prepareModel } from '../../operate/model-file/prepare-model.ts';
import { refuseTrust } from '../bundle/deploy-bundle.ts';
import { carryOut, carryOutFlags, readCarryOut } from '../carry-out-plan.ts';
import { command, formatFlags } from '../command.ts';
import { bool } from '../flags.ts';
import { formatPlan } from '../format/plan.ts';
import { render } from '../format/render.ts';
import { planFlags, readFileArgument } from '../model-file.ts';
import { promptFlags } from '../prompts.ts';

export const apply = command({
  name: 'apply',
  summary: 'Makes a model what a model file says.',
  usage: '<model file>',
  details: `Shows the plan (see plan), asks, and carries it out. What is as the file says stays untouched, so a second apply does
nothing, and one that was stopped, whatever the reason, is continued by the next.

What an apply makes belongs to the file, by the name in the file or else that of the model. With --prune it removes what
the file once made and no longer names, and nothing else. While it runs, no other apply can begin in the model; it does not
begin at all when somebody has changed the model since the plan was made.

--parallel carries out as many steps at a time that do not need each other. --wait then waits until each application of the
file is active with idle agents and its units have taken the file's charm, or until a query of wait-for about an
application holds for each.`,
  examples: [
    'apply ./model.yaml',
    'apply ./model.yaml --dry-run',
    'apply ./model.yaml --prune --no-prompt --wait active --timeout 20m',
    `apply ./model.yaml --no-prompt --parallel 8 --wait 'status=="active" && unplaced==0'`,
  ],
  seeAlso: ['plan', 'diff', 'export', 'wait-for'],
  completes: ['file'],
  flags: {
    ...planFlags,
    ...formatFlags('text', 'json', 'yaml'),
    ...promptFlags,
    ...carryOutFlags,
    dryRun: bool('--dry-run', 'Only show the plan'),
    trust: bool('--trust', "Allows applications of the file to have access to the cloud's credentials"),
  },
  async run(context, flags, args) {
    const awaited = readCarryOut(flags);
    const deploy = await readFileArgument(context, flags, args);
    if (!flags.trust) refuseTrust(deploy.file.bundle, 'apply');
    const prepared = await prepareModel(
      context.operator(() => undefined),
      deploy,
    );
    const { document } = prepared;
    await context.write(render(flags.format, document, { text: () => formatPlan(document) }));
    if (flags.dryRun) return;
    await carryOut(context, flags, prepared, { awaited, command: 'apply' });
  },
});
