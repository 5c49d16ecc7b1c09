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
  details: `Makes a controller. On the cloud local it is a process on this host that goes on when this command ends, and
machines are sandboxes on this host; its data is in /var/lib/grigri/<controller name> (for others than root:
~/.local/share/grigri/<controller name>). On other clouds it is on an instance of its own, which is machine 0 of
the model controller: this command has the cloud start it, and brings the controller there by ssh. On
manual/[user@]host that is a host that is there already.

--constraints are those of the model controller (and of the model of --add-model); machine 0, which runs the
controller, gets them, under those of --bootstrap-constraints. --to says where it is to be, as the cloud
understands it (zone=z1). On the cloud local it is this host, and that is written down only: other
machines are spread over zones, and sized, with regard to it.

When it fails, or is interrupted, everything that it made is removed again; with --keep-broken it stays, and
kill-controller removes it.

The new controller becomes the current one unless --no-switch is given. Clients of Juju find it too: the
files below $JUJU_DATA are theirs.`,
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
    bootstrapBase: text('--bootstrap-base', 'Specify the base of the bootstrap machine'),
    bootstrapConstraints: list('--bootstrap-constraints', 'Specify bootstrap machine constraints'),
    buildAgent: bool('--build-agent', 'Build local version of agent binary before bootstrapping'),
    clouds: bool('--clouds', 'Print the available clouds which can be used to bootstrap a Juju environment'),
    config: list(
      '--config',
      'Specify a controller configuration file, or one or more configuration options. Model config keys only affect the controller model. (--config config.yaml [--config key=value ...])',
    ),
    constraints: list('--constraints', 'Set model constraints'),
    credential: text('--credential', 'Credentials to use when bootstrapping'),
    dataDir: text('--data-dir', 'Where the controller keeps its data (cloud local)', { completes: 'file' }),
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
    const [where, given, ...rest] = args;
    noMoreArgs(rest);
    if (flags.clouds) return printClouds(context);
    if (flags.regions) return printRegions(context, flags.regions);
    if (!where)
      throw new UsageError('no cloud specified; "grigri bootstrap local" makes a controller on this host');
    const chosen = await choose(context, where, flags.credential);
    const { cloud, region } = chosen;
    const name = given ?? (region === '' ? cloud.name : `${cloud.name}-${region}`);
    if (!/^[a-zA-Z0-9][a-zA-Z0-9.+-]*$/.test(name))
      throw new UsageError(`"${name}" is not a valid controller name`);
    const plan = await planBootstrap(context, name, chosen, flags);
    const store = await context.store();
    // The client's files are checked before anything is made, because all of them will record the new controller.
    await store.check();
    const known = (await store.controllers())[name];
    if (known)
      throw new Error(
        `controller "${name}" already exists${known['api-endpoints'].length > 0 ? '' : `, but its bootstrap did not end: "grigri kill-controller ${name}" removes what there is of it`}`,
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

/** Resolves the argument. For a controller on an existing host, the host takes the place of the region. */
async function choose(context: CommandContext, where: string, credential: string): Promise<ChosenCloud> {
  const slash = where.indexOf('/');
  const name = slash < 0 ? where : where.slice(0, slash);
  const type = (await findClientCloud(context, name))?.type ?? '';
  if ((await context.io.providers()).get(type)?.controllerOn !== 'host')
    return chooseCloud(context, where, { credential });
  const chosen = await chooseCloud(context, name, { credential });
  const endpoint = slash < 0 ? chosen.spec.endpoint : where.slice(slash + 1);
  if (endpoint === '') throw new UsageError(`which host? "grigri bootstrap ${name}/[user@]host[:port]"`);
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
    const own = credentials.get(cloud.name);
    const found = (await detect(context, provider)).find(({ name }) => name === cloud.name);
    const names = new Set([...(own?.credentials.keys() ?? []), ...Object.keys(found?.credentials ?? {})]);
    const region = own?.defaultRegion ?? cloud.regions[0]?.name ?? '';
    const [first = '', ...others] = names;
    rows.push([cloud.name, first, region], ...others.map((name) => ['', name, '']));
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
