import { hasCode } from '../../core/errors.ts';
import { shortBuild } from '../../core/machine/program.ts';
import type { CommandContext } from '../context.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { browserFlags, command, formatFlags } from '../command.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { sorted } from '../format/yaml.ts';
import { chooseController } from '../../operate/sessions.ts';
import { fingerprint } from '../users/fingerprint.ts';

export const showController = command({
  name: 'show-controller',
  summary: 'Shows detailed information of a controller.',
  usage: '[<controller name> ...]',
  details:
    'Shows extended information about a controller(s) as well as related models and user login details.',
  examples: ['show-controller', 'show-controller aws google'],
  seeAlso: ['controllers'],
  completes: ['controller'],
  flags: {
    ...browserFlags,
    ...formatFlags('yaml', 'json'),
    showPassword: bool('--show-password', 'Show password for logged in user'),
  },
  async run(context, { format, showPassword }, args) {
    const names = args.length > 0 ? args : [await chooseController(context.client, '')];
    const shown: Record<string, unknown> = {};
    for (const name of names)
      shown[name] = await describe(context, await chooseController(context.client, name), {
        isYaml: format === 'yaml',
        showPassword,
      });
    await context.write(render(format, shown));
  },
});

async function describe(
  context: CommandContext,
  name: string,
  { isYaml, showPassword }: { readonly isYaml: boolean; readonly showPassword: boolean },
): Promise<Record<string, unknown>> {
  const store = await context.store();
  const account = await store.account(name);
  let upgrade: Awaited<ReturnType<typeof describeUpgrade>>;
  let described: Awaited<ReturnType<typeof describeModels>> | undefined;
  const errors: string[] = [];
  let access = account?.['last-known-access'];
  try {
    const { connection } = await context.openController(name);
    access = connection.login.user?.controllerAccess ?? access;
    described = await describeModels(context, name, isYaml);
    if (access === 'superuser') await warnOfBackups(context, name);
    if (access === 'superuser') upgrade = await describeUpgrade(context, name);
  } catch (error) {
    // Data from the files is shown nevertheless.
    errors.push((error as Error).message);
  }
  const details = (await store.controllers())[name]!;
  const currentModel = await store.currentModel(name);
  return {
    details: {
      ...uuidOf('controller', details.uuid, isYaml),
      'api-endpoints': details['api-endpoints'],
      cloud: details.cloud,
      region: details.region || undefined,
      'agent-version': details['agent-version'] || undefined,
      'ca-fingerprint': fingerprint(details['ca-cert']),
      'ca-cert': details['ca-cert'],
    },
    upgrade,
    ...described,
    'current-model': currentModel,
    account: account && {
      user: account.user,
      access,
      password: showPassword ? account.password : undefined,
    },
    errors: errors.length > 0 ? errors : undefined,
  };
}

/** Warns of backups that fail or are overdue; another program's controller has no schedule of them. */
async function warnOfBackups(context: CommandContext, name: string): Promise<void> {
  const { connection } = await context.openController(name);
  const asked = call(connection, 'BackupArchives', 'Schedule', {});
  const trouble = await asked.then(
    ({ schedule }) => schedule?.trouble,
    () => undefined,
  );
  if (trouble !== undefined) context.warning(trouble);
}

/** Returns the UUID of a model or controller. As in Juju, YAML has it under two names, the former name and its own. */
function uuidOf(kind: 'controller' | 'model', uuid: string, isYaml: boolean): Record<string, string> {
  return isYaml ? { uuid, [`${kind}-uuid`]: uuid } : { uuid };
}

/** Says which program of the controller did not come up; undefined when all did, and of controllers that cannot tell. */
async function describeUpgrade(
  context: CommandContext,
  name: string,
): Promise<Record<string, string> | undefined> {
  const { connection } = await context.openController(name);
  if (!connection.login.facades.has('ControllerPrograms')) return undefined;
  const plan = await call(connection, 'ControllerPrograms', 'Plan', { files: [] }).catch((error: unknown) => {
    if (!hasCode(error, 'not supported')) throw error;
  });
  if (!plan?.failed) return undefined;
  const { build, message } = plan.failed;
  return {
    program: shortBuild(plan.build),
    message: `program ${shortBuild(build)} did not come up: ${message}`,
  };
}

async function describeModels(context: CommandContext, name: string, isYaml: boolean) {
  const { refreshModels } = await import('../../operate/sessions.ts');
  const models = sorted(await refreshModels(context.client, name));
  const { connection } = await context.openController(name);
  const { models: statuses } = await call(connection, 'Controller', 'ModelStatus', {
    entities: models.map(([, { uuid }]) => ({ tag: `model-${uuid}` })),
  });
  const controllers = statuses.flatMap(({ machines = [] }) => machines.filter((one) => one['wants-vote']));
  const shown = models.map(([model, { uuid }], i) => {
    const status = statuses[i];
    const cores = (status?.machines ?? []).reduce((sum, { hardware }) => sum + (hardware?.cores ?? 0), 0);
    return [
      model,
      {
        ...uuidOf('model', uuid, isYaml),
        'machine-count': status?.['hosted-machine-count'] || undefined,
        'core-count': cores || undefined,
        'unit-count': status?.['unit-count'] || undefined,
      },
    ] as const;
  });
  return {
    'controller-machines':
      controllers.length > 0
        ? Object.fromEntries(
            controllers.map((one) => [one.id, describeMachine(one, controllers.length > 1)] as const),
          )
        : undefined,
    models: shown.length > 0 ? Object.fromEntries(shown) : undefined,
  };
}

type Machine = NonNullable<ResultOf<'Controller', 'ModelStatus'>['models'][number]['machines']>[number];

/** Describes a controller's machine; with several, also its role among them. */
function describeMachine(machine: Machine, isOneOfSeveral: boolean): Record<string, string | undefined> {
  const status =
    machine.status === 'down' ? 'down, lost connection' : machine['has-vote'] ? 'ha-enabled' : 'ha-pending';
  return { 'instance-id': machine['instance-id'], 'ha-status': isOneOfSeveral ? status : undefined };
}
