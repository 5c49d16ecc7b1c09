import type { Connection } from '../../client/connection.ts';
import { JujuError } from '../../core/errors.ts';
import type { PlannedRemoval } from '../../wire/facades/removal-plan.ts';
import { modelTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';
import { call, errorOf, only, type ResultOf } from '../../client/calls.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { duration, type FlagValues } from '../flags.ts';
import { confirmByName, mustAsk } from '../prompts.ts';
import { withNames } from '../removal.ts';
import { checkRemovalFlags, planLines, showPlan, some } from '../removal-plan.ts';
import { resolveModel, type ModelTarget } from '../sessions.ts';
import { countOf, destroyFlags, destroyParams } from '../teardown.ts';
import { waitFor } from '../wait.ts';

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

With --force, errors on the way are passed over; --no-wait does not even wait between the steps.
The command waits until the model is gone, at most as long as --timeout says; with --force that is when what is left
begins to be cleared, so it waits a little longer.`,
  examples: [
    'destroy-model test',
    'destroy-model --no-prompt mymodel',
    'destroy-model --no-prompt mymodel --force --timeout 5m',
    'destroy-model test --dry-run',
  ],
  seeAlso: ['destroy-controller'],
  completes: ['model'],
  flags: modelFlags,
  async run(context, flags, args, given) {
    const [name, ...rest] = args;
    if (!name) throw new UsageError('no model specified');
    noMoreArgs(rest);
    checkRemovalFlags(flags, given);
    const target = await resolveModel(context, name);
    const { connection } = await context.openController(target.controller);
    const entities = { entities: [{ tag: `model-${target.uuid}` }] };
    const shown = target.model.slice(target.model.indexOf('/') + 1);
    const plan = await planOf(connection, target, flags);
    const lines = (): string[] =>
      planLines(plan, () => `will destroy model ${target.model}`, { ...flags, waitMs: flags.timeout });
    if (flags.dryRun)
      return showPlan(context, flags.format, { value: withNames(plan, [target.model]), lines });
    if (mustAsk(flags)) {
      const { models } = await call(connection, 'ModelManager', 'ModelStatus', entities);
      context.io.stderr.write(warning(shown, only(models)));
      for (const line of lines()) context.io.stderr.write(`${line}\n`);
      await confirmByName(context, {
        what: 'model',
        verb: 'destroyed',
        name: shown,
        aborted: 'model destruction',
      });
    } else for (const line of lines()) context.info(line);
    context.info('Destroying model');
    const { results } = await call(connection, 'ModelManager', 'DestroyModels', {
      models: [
        {
          'model-tag': `model-${target.uuid}`,
          ...destroyParams(flags),
          ...(flags.timeout === undefined ? {} : { timeout: flags.timeout * 1e6 }),
        },
      ],
    });
    for (const text of only(results).warnings ?? []) context.warning(text);
    await waitUntilGone(context, target, patience(flags));
    await (await context.store()).removeModel(target.controller, target.model);
    context.info('Model destroyed.');
  },
});

/** What will come of it. Errors: what would refuse it. */
async function planOf(
  connection: Connection,
  target: ModelTarget,
  flags: FlagValues<typeof modelFlags>,
): Promise<PlannedRemoval> {
  const { 'max-wait': _, ...asked } = destroyParams(flags);
  const { results } = await call(connection, 'Lives', 'PlanModelRemoval', {
    models: [{ 'model-tag': `model-${target.uuid}`, ...asked }],
  });
  return only(results).plan!;
}

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
      `  - machine list: "${some(machines.map((m) => (m['instance-id'] ? `${m.id} (${m['instance-id']})` : m.id)))}"`,
    );
  }
  lines.push(` - ${countOf(status['application-count'] ?? 0, 'application')} will be removed`);
  if (applications.length > 0) lines.push(`  - application list: "${some(applications.map((a) => a.name))}"`);
  lines.push(' - 0 filesystem and 0 volume will be destroyed');
  return `${lines.join('\n')}\n`;
}

/** At the deadline of force the controller has yet to clear what is left, and to release the instances. */
const clearingMs = 60_000;

function patience({ force, timeout }: FlagValues<typeof modelFlags>): number | undefined {
  return timeout === undefined || !force ? timeout : timeout + clearingMs;
}

async function waitUntilGone(
  context: CommandContext,
  target: ModelTarget,
  timeoutMs: number | undefined,
): Promise<void> {
  const { connection } = await context.openController(target.controller);
  await waitFor(context, {
    what: `model ${target.model}`,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    async check() {
      const { models } = await call(connection, 'ModelManager', 'ModelStatus', {
        entities: [{ tag: `model-${target.uuid}` }],
      });
      const status = models[0];
      if (!status || status.error?.code === 'not found' || status.error?.code === 'model not found')
        return undefined;
      if (status.error) throw errorOf(status.error);
      const counts = [
        ['machine(s)', status['hosted-machine-count']],
        ['application(s)', status['application-count']],
        ['unit(s)', status['unit-count']],
      ] as const;
      const left = counts.flatMap(([unit, n]) => (n ? [`${n} ${unit}`] : []));
      const more = left.length > 0 ? left.join(', ') : await whyNot(connection, target.uuid);
      return `Waiting for model to be removed${more === '' ? '' : `, ${more}`}...`;
    },
    onTimeout: () =>
      new JujuError(
        'deadline exceeded',
        `timed out waiting for model "${target.model}" to be removed; it goes on dying: see 'grigri status -m ${target.controller}:${target.model}'`,
      ),
  });
}

/** What its cloud says against it; '' when nothing was said. */
async function whyNot(connection: Connection, uuid: string): Promise<string> {
  const { results } = await call(connection, 'ModelManager', 'ModelInfo', {
    entities: [{ tag: modelTag(uuid) }],
  });
  return results[0]?.result?.status.info ?? '';
}
