import type { CommandContext } from '../context.ts';
import { call } from '../../client/calls.ts';
import { browserFlags, command, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { sorted } from '../format/yaml.ts';
import { defined } from '../../core/defined.ts';

export const controllers = command({
  name: 'controllers',
  summary: 'Lists all controllers.',
  details: `The output format may be selected with the '--format' option. In the
default tabular output, the current controller is marked with an asterisk.`,
  examples: ['controllers', 'controllers --format json --output ~/tmp/controllers.json'],
  seeAlso: ['models', 'show-controller'],
  flags: {
    ...browserFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    managed: bool('--managed', 'Show controllers managed by JAAS'),
    refresh: bool('--refresh', 'Connect to each controller to download the latest details'),
  },
  async run(context, { format, refresh }, args) {
    noMoreArgs(args);
    if (refresh) await refreshAll(context);
    const shown = await describe(context);
    if (format === 'tabular' && Object.keys(shown.controllers).length === 0) {
      context.info('No controllers registered.\n\nPlease create a new controller using "grigri bootstrap".');
      return;
    }
    if (format === 'tabular' && !refresh) {
      context.info('Use --refresh option with this command to see the latest information.\n');
    }
    await context.write(render(format, shown, { tabular: () => table(shown) }));
  },
});

interface Shown {
  readonly controllers: Readonly<Record<string, ShownController>>;
  readonly 'current-controller': string;
}
interface ShownController {
  readonly 'current-model'?: string;
  readonly user?: string;
  readonly access?: string;
  readonly 'recent-server'?: string;
  readonly uuid: string;
  readonly 'api-endpoints': readonly string[];
  readonly 'ca-cert': string;
  readonly cloud: string;
  readonly region?: string;
  readonly 'agent-version'?: string;
  readonly 'model-count'?: number;
  readonly 'machine-count'?: number;
  readonly 'controller-machines'?: { readonly Active: number; readonly Total: number };
}

async function describe(context: CommandContext): Promise<Shown> {
  const store = await context.store();
  const shown: Record<string, ShownController> = {};
  for (const [name, details] of sorted(await store.controllers())) {
    const account = await store.account(name);
    const models = Object.keys(await store.models(name)).length;
    const currentModel = await store.currentModel(name);
    const total = details['controller-machine-count'] ?? 0;
    shown[name] = {
      ...(currentModel && { 'current-model': ownName(currentModel, account?.user) }),
      ...defined({ user: account?.user }),
      ...(account?.['last-known-access'] && { access: account['last-known-access'] }),
      ...defined({ 'recent-server': details['api-endpoints'][0] || undefined }),
      uuid: details.uuid,
      'api-endpoints': details['api-endpoints'],
      'ca-cert': details['ca-cert'],
      cloud: details.cloud,
      ...defined({
        region: details.region || undefined,
        'agent-version': details['agent-version'] || undefined,
        'model-count': models > 0 ? models : undefined,
        'machine-count': details['machine-count'] || undefined,
      }),
      ...(total > 0 && {
        'controller-machines': { Active: details['active-controller-machine-count'] ?? total, Total: total },
      }),
    };
  }
  return { controllers: shown, 'current-controller': (await store.currentController()) ?? '' };
}

function table(shown: Shown): string {
  const rows = Object.entries(shown.controllers).map(([name, c]) => {
    const machines = c['controller-machines'];
    return [
      name + (name === shown['current-controller'] ? '*' : ''),
      c['current-model'] ?? '-',
      c.user ?? '-',
      c.access ?? '(unknown)',
      c.region ? `${c.cloud}/${c.region}` : c.cloud,
      c['model-count'] === undefined ? '-' : String(c['model-count']),
      c['machine-count'] === undefined ? '-' : String(c['machine-count']),
      !machines ? '-' : machines.Total > 1 ? `${machines.Active}/${machines.Total}` : 'none',
      c['agent-version'] ?? '(unknown)',
    ];
  });
  const header = [
    'Controller',
    'Model',
    'User',
    'Access',
    'Cloud/Region',
    'Models',
    'Nodes',
    'HA',
    'Version',
  ];
  return formatSections([{ rows: [header, ...rows], right: [5, 6, 7] }]);
}

/** Refreshes each controller. A controller that does not answer is reported, and its records stay. */
async function refreshAll(context: CommandContext): Promise<void> {
  const store = await context.store();
  await Promise.all(
    Object.keys(await store.controllers()).map(async (name) => {
      try {
        const { connection } = await context.openController(name);
        const { refreshModels } = await import('../../operate/sessions.ts');
        const models = await refreshModels(context.client, name);
        const { models: statuses } = await call(connection, 'Controller', 'ModelStatus', {
          entities: Object.values(models).map(({ uuid }) => ({ tag: `model-${uuid}` })),
        });
        const machines = statuses.reduce((sum, status) => sum + (status['hosted-machine-count'] ?? 0), 0);
        const details = (await store.controllers())[name];
        if (details) await store.updateController(name, { ...details, 'machine-count': machines });
        const access = connection.login.user?.controllerAccess;
        if (access) await store.setAccess(name, access);
      } catch (error) {
        context.io.stderr.write(`error updating cached details for "${name}": ${(error as Error).message}\n`);
      }
    }),
  );
}

function ownName(model: string, user: string | undefined): string {
  return user && model.startsWith(`${user}/`) ? model.slice(user.length + 1) : model;
}
