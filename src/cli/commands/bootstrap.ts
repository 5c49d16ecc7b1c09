import { JujuError } from '../../core/errors.ts';
import { jujuVersion } from '../../core/juju-version.ts';
import { isControllerName } from '../../core/names.ts';
import { bootstrapOnHost } from '../bootstrap/on-host.ts';
import { bootstrapOnInstance } from '../bootstrap/on-instance.ts';
import { bootstrapOnThisHost } from '../bootstrap/on-this-host.ts';
import { planBootstrap } from '../bootstrap/plan.ts';
import { chooseCloud } from '../clouds/choose-cloud.ts';
import { clientClouds, cloudFiles, detect, findClientCloud } from '../clouds/client-clouds.ts';
import type { ChosenCloud } from '../clouds/cloud.ts';
import type { CommandContext } from '../context.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, list, text } from '../flags.ts';
import { formatSection } from '../format/tabwriter.ts';

export const bootstrap = command({
  name: 'bootstrap',
  summary: 'Initializes a cloud environment.',
  usage: '[<cloud name>[/region] [<controller name>]]',
  details: `Creates a controller. On the cloud "local", the controller is a process on this host that continues after
this command, and machines are sandboxes on this host; its data is in /var/lib/grigri/<controller name> (for users
other than root: ~/.local/share/grigri/<controller name>). On other clouds, the controller runs on its own instance,
which is machine 0 of the model "controller": this command starts the instance and installs the controller over SSH.
On manual/[user@]host, the controller is installed on an existing host.

--constraints apply to the model "controller" (and to the model of --add-model). Machine 0, which runs the controller,
gets these as well; --bootstrap-constraints override them. --to is a placement directive of the cloud (zone=z1). On
the cloud "local", constraints and placement are only recorded for machine 0, which is this host; they are considered
when other machines are sized and distributed over zones.

If the command fails or is interrupted, all resources that it created are removed. With --keep-broken they are kept;
use kill-controller to remove them.

The new controller becomes the current one unless --no-switch is given. Clients of Juju can use it too, because they
share the files in $JUJU_DATA.`,
  examples: [
    'bootstrap local',
    'bootstrap localhost mycontroller --bootstrap-base ubuntu@24.04',
    'bootstrap mylxd --credential mine --bootstrap-constraints mem=4G',
    'bootstrap local mycontroller --add-model mymodel --config api-port=17071',
    'bootstrap --clouds',
  ],
  seeAlso: ['add-cloud', 'add-model', 'controllers', 'destroy-controller', 'kill-controller'],
  completes: [['local', 'localhost'], 'controller'],
  flags: {
    noBrowserLogin: bool('-B, --no-browser-login', 'Do not use web browser for authentication'),
    addModel: text('--add-model', 'Name of an initial model to create on the new controller'),
    agentVersion: text('--agent-version', 'Version of agent binaries to use: that of this program'),
    autoUpgrade: bool('--auto-upgrade', 'Upgrade to the latest patch release: this program has no other'),
    bootstrapBase: text('--bootstrap-base', 'Specify the base of the bootstrap machine'),
    bootstrapSeries: text(
      '--bootstrap-series',
      'Former way to give --bootstrap-base: the name of its series',
    ),
    bootstrapConstraints: list('--bootstrap-constraints', 'Specify bootstrap machine constraints'),
    buildAgent: bool('--build-agent', 'Build local version of agent binary before bootstrapping'),
    clouds: bool('--clouds', 'Print the available clouds which can be used to bootstrap a Juju environment'),
    config: list(
      '--config',
      'Specify a controller configuration file, or one or more configuration options. Model config keys only affect the controller model. (--config config.yaml [--config key=value ...])',
    ),
    constraints: list('--constraints', 'Set model constraints'),
    credential: text('--credential', 'Credentials to use when bootstrapping'),
    dataDir: text('--data-dir', 'Data directory of the controller (cloud local)', { completes: 'file' }),
    force: bool('--force', 'Allow the bypassing of checks such as supported base: no base is refused'),
    keepBroken: bool(
      '--keep-broken',
      'Do not destroy the provisioned controller instance if bootstrap fails',
    ),
    modelDefault: list(
      '--model-default',
      'Specify a configuration file, or one or more configuration options to be set for all models, unless otherwise specified (--model-default config.yaml [--model-default key=value ...])',
    ),
    noSwitch: bool('--no-switch', 'Do not switch to the newly created controller'),
    regions: text('--regions', 'Print the available regions for the specified cloud'),
    to: text('--to', 'Placement directive indicating an instance to bootstrap'),
  },
  async run(context, flags, args) {
    const [cloudArg, givenName, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    if (flags.clouds) return printClouds(context);
    if (flags.regions) return printRegions(context, flags.regions);
    checkAgentVersion(flags.agentVersion);
    if (!cloudArg)
      throw new UsageError(
        'no cloud specified; run "grigri bootstrap local" to create a controller on this host',
      );
    const chosen = await choose(context, cloudArg, flags.credential);
    const { cloud, region } = chosen;
    const name = givenName ?? (region === '' ? cloud.name : `${cloud.name}-${region}`);
    if (!isControllerName(name)) throw new UsageError(`"${name}" is not a valid controller name`);
    const plan = await planBootstrap(context, name, chosen, flags);
    const store = await context.store();
    // The client's files are checked before anything is made, because all of them will record the new controller.
    await store.check();
    const existing = (await store.controllers())[name];
    if (existing)
      throw new Error(
        `controller "${name}" already exists${existing['api-endpoints'].length > 0 ? '' : `, but its bootstrap did not complete: run "grigri kill-controller ${name}" to remove it`}`,
      );

    context.info(`Creating Juju controller "${name}" on ${plan.place}`);
    await makerOf(chosen)(context, plan);
    context.info(`\nBootstrap complete, controller "${name}" is now available`);
    context.info('Controller machines are in the "controller" model\n');
    context.info(
      flags.addModel
        ? `Initial model "${flags.addModel}" added`
        : 'Now you can run\n\tgrigri add-model <model-name>\nto create a new model to deploy workloads.',
    );
  },
});

/** Refuses versions of agents that this program does not bring. Errors: `not supported`. */
function checkAgentVersion(version: string): void {
  if (version !== '' && version !== jujuVersion)
    throw new JujuError(
      'not supported',
      `agents of version ${version} are not available: this program has ${jujuVersion}`,
    );
}

/** Resolves the argument. For a controller on an existing host, the host takes the place of the region. */
async function choose(context: CommandContext, cloudArg: string, credential: string): Promise<ChosenCloud> {
  const slash = cloudArg.indexOf('/');
  const name = slash < 0 ? cloudArg : cloudArg.slice(0, slash);
  const type = (await findClientCloud(context, name))?.type ?? '';
  if ((await context.io.providers()).get(type)?.controllerOn !== 'host')
    return chooseCloud(context, cloudArg, { credential });
  const chosen = await chooseCloud(context, name, { credential });
  const endpoint = slash < 0 ? chosen.spec.endpoint : cloudArg.slice(slash + 1);
  if (endpoint === '')
    throw new UsageError(`no host specified: use "grigri bootstrap ${name}/[user@]host[:port]"`);
  return { ...chosen, spec: { ...chosen.spec, endpoint } };
}

function makerOf({ provider }: ChosenCloud): typeof bootstrapOnInstance {
  switch (provider.controllerOn) {
    case 'host':
      return bootstrapOnHost;
    case 'instance':
      return bootstrapOnInstance;
    case 'this host':
      return bootstrapOnThisHost;
  }
}

async function printClouds(context: CommandContext): Promise<void> {
  const providers = await context.io.providers();
  const credentials = await (await cloudFiles(context)).credentials();
  const rows: string[][] = [['Cloud', 'Credentials', 'Default Region']];
  for (const cloud of (await clientClouds(context)).values()) {
    const provider = providers.get(cloud.type);
    if (!provider) continue;
    const stored = credentials.get(cloud.name);
    const detectedCloud = (await detect(context, provider)).find(({ name }) => name === cloud.name);
    const names = new Set([
      ...(stored?.credentials.keys() ?? []),
      ...Object.keys(detectedCloud?.credentials ?? {}),
    ]);
    const region = stored?.defaultRegion ?? cloud.regions[0]?.name ?? '';
    const [firstName = '', ...otherNames] = names;
    rows.push([cloud.name, firstName, region], ...otherNames.map((name) => ['', name, '']));
  }
  await context.write(
    `You can bootstrap on these clouds. See '--regions <cloud>' for all regions.\n${formatSection({ rows })}`,
  );
}

async function printRegions(context: CommandContext, name: string): Promise<void> {
  const cloud = await findClientCloud(context, name);
  if (!cloud) throw new Error(`cloud ${name} not found`);
  const regions = cloud.regions.map((region) => `${region.name}\n`);
  await context.write(`Showing known regions for ${cloud.name}:\n${regions.join('')}`);
}
