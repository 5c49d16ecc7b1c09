import {
  destroyModel as destroy,
  planModelRemoval,
  waitUntilGone,
  type ModelRemains,
} from '../../operate/remove/destroy-model.ts';
import { modelTag } from '../../wire/tags.ts';
import { call, only, type ResultOf } from '../../client/calls.ts';
import { command } from '../command.ts';
import { inModel } from '../command-sets.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { duration } from '../flags.ts';
import { confirmByName, mustAsk } from '../prompts.ts';
import { withNames } from '../removal.ts';
import { checkRemovalFlags, planLines, showPlan, shortList } from '../removal-plan.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { countOf } from '../count-of.ts';
import { destroyFlags } from '../teardown.ts';
import { waitingOperator } from '../wait.ts';

const modelFlags = {
  ...destroyFlags({ destroyed: 'in the model', released: 'the model' }),
  timeout: duration('-t, --timeout', 'Timeout for each step of force model destruction'),
};

export const destroyModel = command({
  name: 'destroy-model',
  summary: 'Terminate all machines/containers and resources for a non-controller model.',
  usage: '[<controller name>:]<model name>',
  details: `Destroys the specified model. This will result in the non-recoverable removal of all the units
operating in the model and any resources stored there.

With --force, errors are ignored; with --no-wait, the command does not wait between the steps either. The command waits
until the model is removed, for at most --timeout. With --force, --timeout is the time after which remaining resources
are cleared, so that the command waits slightly longer.`,
  examples: [
    'destroy-model test',
    'destroy-model --no-prompt mymodel',
    'destroy-model --no-prompt mymodel --force --timeout 5m',
    'destroy-model test --dry-run',
  ],
  seeAlso: ['destroy-controller'],
  completes: ['model'],
  flags: modelFlags,
  async run(context, flags, args, givenFlags) {
    const [name, ...moreArgs] = args;
    if (!name) throw new UsageError('no model specified');
    noMoreArgs(moreArgs);
    checkRemovalFlags(flags, givenFlags);
    const target = await resolveModel(context.client, name);
    const { connection } = await context.openController(target.controller);
    const end = { ...flags, timeoutMs: flags.timeout };
    const shown = target.model.slice(target.model.indexOf('/') + 1);
    const fullName = `${target.controller}:${target.model}`;
    const plan = await inModel(fullName, planModelRemoval(connection, target, end));
    const lines = (): string[] =>
      planLines(plan, () => `will destroy model ${target.model}`, { ...flags, waitMs: flags.timeout });
    if (flags.dryRun)
      return showPlan(context, flags.format, { value: withNames(plan, [target.model]), lines });
    if (mustAsk(flags)) {
      const { models } = await call(connection, 'ModelManager', 'ModelStatus', {
        entities: [{ tag: modelTag(target.uuid) }],
      });
      context.io.stderr.write(warning(shown, only(models)));
      for (const line of lines()) context.io.stderr.write(`${line}\n`);
      await confirmByName(context, {
        entity: 'model',
        verb: 'destroyed',
        name: shown,
        aborted: 'model destruction',
      });
    } else for (const line of lines()) context.info(line);
    context.info('Destroying model');
    for (const text of await inModel(fullName, destroy(connection, target, end))) context.warning(text);
    const reopen = async () => (await context.openController(target.controller)).connection;
    await waitUntilGone(waitingOperator(context, remainingLine), { connection, reopen }, target, end);
    await (await context.store()).removeModel(target.controller, target.model);
    context.info('Model destroyed.');
  },
});

type Status = ResultOf<'ModelManager', 'ModelStatus'>['models'][number];

function warning(name: string, status: Status): string {
  const lines = [
    `WARNING This command will destroy the "${name}" model and affect the following resources. It cannot be stopped.\n`,
  ];
  const machines = status.machines ?? [];
  const applications = status.applications ?? [];
  lines.push(` - ${countOf(status['hosted-machine-count'] ?? 0, 'machine')} will be destroyed`);
  if (machines.length > 0) {
    lines.push(
      `  - machine list: "${shortList(machines.map((m) => (m['instance-id'] ? `${m.id} (${m['instance-id']})` : m.id)))}"`,
    );
  }
  lines.push(` - ${countOf(status['application-count'] ?? 0, 'application')} will be removed`);
  if (applications.length > 0)
    lines.push(`  - application list: "${shortList(applications.map((a) => a.name))}"`);
  lines.push(' - 0 filesystem and 0 volume will be destroyed');
  return `${lines.join('\n')}\n`;
}

function remainingLine({ machines, applications, units, cloud }: ModelRemains): string {
  const counts = [
    ['machine(s)', machines],
    ['application(s)', applications],
    ['unit(s)', units],
  ] as const;
  const remaining = counts.flatMap(([unit, n]) => (n > 0 ? [`${n} ${unit}`] : []));
  const details = remaining.length > 0 ? remaining.join(', ') : cloud;
  return `Waiting for model to be removed${details === '' ? '' : `, ${details}`}...`;
}
