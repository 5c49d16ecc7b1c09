import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatConstraints, type Constraints } from '../../core/constraints.ts';
import { JujuError } from '../../core/errors.ts';
import { parsePlacement } from '../../core/placement.ts';
import { modelTag, userTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';
import { call } from '../calls.ts';
import { command } from '../command.ts';
import { constraintsToWire, readConstraints } from '../constraints.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, list, text } from '../flags.ts';
import { ensureSshKey } from '../files/ssh-key.ts';
import { readKeyValues } from '../key-values.ts';
import { startDaemon, stopDaemon } from '../daemon.ts';
import { controllerDataDir, initController, removeDataDir } from '../local-controller.ts';
import { jujuVersion } from '../version.ts';

/** The controller's own settings; other `--config` keys are those of the controller model. */
const controllerKeys = new Set([
  'api-port',
  'agent-logfile-max-size',
  'audit-log-exclude-methods',
  'auditing-enabled',
  'controller-name',
  'max-debug-log-duration',
  'max-history-revisions',
  'model-logs-size',
]);

export const bootstrap = command({
  name: 'bootstrap',
  summary: 'Initializes a cloud environment.',
  usage: '[<cloud name>[/region] [<controller name>]]',
  details: `Makes a controller. The cloud local (or localhost) has it on this host, as a process of its own that goes
on when this command ends, and makes machines as sandboxes on this host. Its data is in
/var/lib/grigri/<controller name> (for others than root: ~/.local/share/grigri/<controller name>).

--constraints are those of the model controller (and of the model of --add-model); machine 0, which runs the
controller, gets them, under those of --bootstrap-constraints. --to says where it is to be, as the cloud
understands it (zone=z1). On the cloud local it is this host, and that is written down only: other
machines are spread over zones, and sized, with regard to it.

The new controller becomes the current one unless --no-switch is given. Clients of Juju find it too: the
files below $JUJU_DATA are theirs.`,
  examples: [
    'bootstrap local',
    'bootstrap local mycontroller --add-model mymodel',
    'bootstrap local --config api-port=17071',
    'bootstrap local --constraints mem=2G --bootstrap-constraints cores=4',
  ],
  seeAlso: ['add-model', 'controllers', 'destroy-controller', 'kill-controller'],
  completes: [['local'], 'controller'],
  flags: {
    noBrowserLogin: bool('-B, --no-browser-login', 'Do not use web browser for authentication'),
    addModel: text('--add-model', 'Name of an initial model to create on the new controller'),
    clouds: bool('--clouds', 'Print the available clouds which can be used to bootstrap a Juju environment'),
    config: list(
      '--config',
      'Specify a controller configuration file, or one or more configuration options. Model config keys only affect the controller model. (--config config.yaml [--config key=value ...])',
    ),
    modelDefault: list(
      '--model-default',
      'Specify a configuration file, or one or more configuration options to be set for all models, unless otherwise specified (--model-default config.yaml [--model-default key=value ...])',
    ),
    constraints: list('--constraints', 'Set model constraints'),
    bootstrapConstraints: list('--bootstrap-constraints', 'Specify bootstrap machine constraints'),
    credential: text('--credential', 'Credentials to use when bootstrapping'),
    dataDir: text('--data-dir', 'Where the controller keeps its data', { completes: 'file' }),
    keepBroken: bool(
      '--keep-broken',
      'Do not destroy the provisioned controller instance if bootstrap fails',
    ),
    noSwitch: bool('--no-switch', 'Do not switch to the newly created controller'),
    to: text('--to', 'Placement directive indicating an instance to bootstrap'),
    regions: text('--regions', 'Print the available regions for the specified cloud'),
  },
  async run(context, flags, args) {
    const [where, given, ...rest] = args;
    noMoreArgs(rest);
    if (flags.clouds)
      return context.write(
        'You can bootstrap on these clouds. See ‘--regions <cloud>’ for all regions.\nCloud  Credentials  Default Region\nlocal               localhost\n'.replaceAll(
          /[‘’]/g,
          "'",
        ),
      );
    const cloud = await findCloud(context, (flags.regions || where) ?? '');
    if (flags.regions)
      return context.write(`Showing known regions for ${cloud.name}:\n${cloud.regions.join('\n')}\n`);
    const name = given ?? `${cloud.name}-${cloud.region}`;
    if (!/^[a-zA-Z0-9][a-zA-Z0-9.+-]*$/.test(name))
      throw new UsageError(`"${name}" is not a valid controller name`);
    const machine = machineOf(flags);
    const store = await context.store();
    if ((await store.controllers())[name]) throw new Error(`controller "${name}" already exists`);

    context.info(`Creating Juju controller "${name}" on ${cloud.name}/${cloud.region}`);
    const made = await make(context, name, cloud, { ...flags, machine });
    try {
      await describe(context, name, made, cloud, flags, machine.modelConstraints);
    } catch (error) {
      await store.removeController(name);
      if (!flags.keepBroken) await unmake(context, made.dataDir);
      throw error;
    }
    context.info(`\nBootstrap complete, controller "${name}" is now available`);
    context.info('Controller machines are in the "controller" model\n');
    context.info(
      flags.addModel
        ? `Initial model "${flags.addModel}" added`
        : 'Now you can run\n\tgrigri add-model <model-name>\nto create a new model to deploy workloads.',
    );
  },
});

interface Cloud {
  readonly name: string;
  readonly type: string;
  readonly region: string;
  readonly regions: readonly string[];
}

interface Flags {
  readonly addModel: string;
  readonly config: readonly string[];
  readonly modelDefault: readonly string[];
  readonly dataDir: string;
  readonly keepBroken: boolean;
  readonly noSwitch: boolean;
}

/** What machine 0 is asked to have, and where it is to be. */
interface MachineWishes {
  readonly modelConstraints: Constraints;
  readonly constraints: Constraints;
  /** '' = nowhere in particular. */
  readonly to: string;
}

/** Errors: `not valid`; a machine or container, of which there are none yet. */
function machineOf(flags: {
  readonly constraints: readonly string[];
  readonly bootstrapConstraints: readonly string[];
  readonly to: string;
}): MachineWishes {
  const { to } = flags;
  if (to !== '' && parsePlacement(to, providersOwn).scope !== providersOwn)
    throw new JujuError('not valid', `unsupported bootstrap placement directive "${to}"`);
  return {
    modelConstraints: readConstraints(flags.constraints),
    constraints: readConstraints(flags.bootstrapConstraints),
    to,
  };
}
const providersOwn = 'model-uuid';

interface Made {
  readonly dataDir: string;
  readonly password: string;
  readonly uuid: string;
  readonly modelUuid: string;
  readonly caCert: string;
  readonly addresses: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
  readonly modelConfig: Readonly<Record<string, unknown>>;
}

/** `cloud[/region]`: one that a provider has without add-cloud. `localhost` is Juju's name for this host. */
async function findCloud(context: CommandContext, where: string): Promise<Cloud> {
  if (!where)
    throw new UsageError('no cloud specified; "grigri bootstrap local" makes a controller on this host');
  const [first, region] = where.split('/') as [string, string?];
  const name = first === 'localhost' ? 'local' : first;
  const provider = (await context.io.providers()).get(name);
  if (!provider?.builtinCloud) throw new Error(`unknown cloud "${first}", please try "local"`);
  const { regions } = provider.builtinCloud;
  if (region && !regions.includes(region)) {
    throw new Error(
      `region "${region}" for cloud "${name}" not valid, the regions are: ${regions.join(', ')}`,
    );
  }
  return {
    name: provider.builtinCloud.name,
    type: provider.type,
    region: region ?? regions[0] ?? 'default',
    regions,
  };
}

/** The controller's files and its process. What it made is gone again when it fails. */
async function make(
  context: CommandContext,
  name: string,
  cloud: Cloud,
  flags: Flags & { readonly machine: MachineWishes },
): Promise<Made> {
  const { io } = context;
  const { machine } = flags;
  const dataDir = flags.dataDir ? resolve(io.cwd, flags.dataDir) : controllerDataDir(io, name);
  // Before anything is made: what fails later is taken away with all that is there.
  const found = await readdir(dataDir).catch(() => []);
  if (found.length > 0)
    throw new Error(`there is something in ${dataDir} already; choose another --data-dir`);
  const all = await readKeyValues(context, flags.config);
  const config = Object.fromEntries(Object.entries(all).filter(([key]) => controllerKeys.has(key)));
  const modelConfig = {
    'authorized-keys': await ensureSshKey((await context.store()).dir),
    ...(await readKeyValues(context, flags.modelDefault)),
    ...Object.fromEntries(Object.entries(all).filter(([key]) => !controllerKeys.has(key))),
  };
  const password = Buffer.from(io.randomBytes(18)).toString('base64url');
  try {
    const init = await context.progress(
      'Making the controller',
      initController(io, dataDir, {
        name,
        cloud: { name: cloud.name, type: cloud.type, region: cloud.region },
        adminUser: 'admin',
        adminPassword: password,
        config,
        modelConfig,
        constraints: formatConstraints(machine.modelConstraints),
        bootstrapConstraints: formatConstraints(machine.constraints),
        ...(machine.to === '' ? {} : { placement: machine.to }),
      }),
    );
    for (const warning of init.warnings) context.warning(warning);
    context.info(`Launching controller on this host (data in ${dataDir})`);
    await context.progress(
      'Waiting for the controller',
      startDaemon({ dataDir, clock: io.clock, signal: io.signal }),
    );
    return { ...init, dataDir, password, config, modelConfig };
  } catch (error) {
    if (!flags.keepBroken) await removeDataDir(dataDir);
    throw error;
  }
}

/** The client's files, a first login that shows that it serves, and the initial model. */
async function describe(
  context: CommandContext,
  name: string,
  made: Made,
  cloud: Cloud,
  flags: Flags,
  constraints: Constraints,
): Promise<void> {
  const store = await context.store();
  await store.addController(
    name,
    {
      uuid: made.uuid,
      'api-endpoints': made.addresses,
      'ca-cert': made.caCert,
      cloud: cloud.name,
      region: cloud.region,
      type: cloud.type,
      'agent-version': jujuVersion,
      'controller-machine-count': 1,
      'active-controller-machine-count': 1,
      'machine-count': 1,
    },
    { user: 'admin', password: made.password, 'last-known-access': 'superuser' },
  );
  await store.setBootstrapConfig(name, {
    'controller-config': { ...made.config, 'controller-name': name, 'data-dir': made.dataDir },
    'model-config': made.modelConfig,
    'controller-model-uuid': made.modelUuid,
    cloud: cloud.name,
    type: cloud.type,
    region: cloud.region,
  });
  await store.addModel(name, 'admin/controller', { uuid: made.modelUuid, type: 'iaas' });
  context.info('Contacting Juju controller to verify accessibility...');
  const { connection, user } = await context.openController(name);
  await call(connection, 'ModelManager', 'ModelInfo', { entities: [{ tag: modelTag(made.modelUuid) }] });
  if (flags.addModel) {
    const model = await call(connection, 'ModelManager', 'CreateModel', {
      name: flags.addModel,
      'owner-tag': userTag(user),
      config: { ...made.modelConfig },
    });
    await store.addModel(name, `${user}/${flags.addModel}`, { uuid: model.uuid, type: 'iaas' });
    if (Object.keys(constraints).length > 0) {
      const session = await context.openModel(`${name}:${user}/${flags.addModel}`);
      await call(session.connection, 'ModelConfig', 'SetModelConstraints', {
        application: '',
        constraints: constraintsToWire(constraints),
      });
    }
    await store.setCurrentModel(name, `${user}/${flags.addModel}`);
  }
  if (!flags.noSwitch) await store.setCurrentController(name);
}

async function unmake(context: CommandContext, dataDir: string): Promise<void> {
  await stopDaemon({ dataDir, clock: context.io.clock });
  await removeDataDir(dataDir);
}
