import { recordModels } from '../../operate/sessions.ts';
import { call, errorOf, type ResultOf } from '../../client/calls.ts';
import { shownCredential } from '../clouds/model-cloud.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { formatAgo, formatTime, type TimeStyle } from '../format/time.ts';
import { timeStyle } from '../time-style.ts';
import { userTag } from '../../wire/tags.ts';
import { defined } from '../../core/defined.ts';

export const models = command({
  name: 'models',
  summary: 'Lists models a user can access on a controller.',
  details: `The models listed here are either models you have created yourself, or models which have been
shared with you. The active model is denoted by an asterisk.`,
  examples: ['models', 'models --user bob'],
  seeAlso: ['add-model', 'show-model', 'switch'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    all: bool('--all', 'Lists all models, regardless of user accessibility (administrative users only)'),
    user: text('--user', 'The user to list models for (administrative users only)'),
    uuid: bool('--uuid', 'Display UUID for models'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
    exactTime: bool('--exact-time', 'Use full timestamps'),
  },
  async run(context, flags, args) {
    noMoreArgs(args);
    const session = await context.openController(flags.controller);
    const store = await context.store();
    const listedUser = flags.user || session.user;
    const storedModels = await store.models(session.controller);
    const { results } = await call(session.connection, 'ModelManager', 'ListModelSummaries', {
      'user-tag': userTag(listedUser),
      all: flags.all,
    });
    const summaries = results.map((r) => {
      if (r.error) throw errorOf(r.error);
      return r.result!;
    });
    const style = timeStyle(context.io, flags.utc);
    const list = summaries
      .map((m) => describe(m, session.controller, flags.exactTime ? 'exact' : 'ago', style))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    if (listedUser === session.user) {
      const models = Object.fromEntries(
        list.map((m) => [m.name, { uuid: m['model-uuid'], type: m['model-type'] }]),
      );
      await recordModels(context.client, session.controller, { models, stored: storedModels });
    }
    const current = await store.currentModel(session.controller);
    if (list.length === 0 && flags.format === 'tabular') {
      context.info(`There are no models available.\n\nAdd a model with 'grigri add-model <model>'.`);
    }
    const shownCurrent = current?.startsWith(`${session.user}/`)
      ? current.slice(session.user.length + 1)
      : current;
    const shown = { models: list, ...defined({ 'current-model': shownCurrent || undefined }) };
    await context.write(
      render(flags.format, shown, {
        tabular: () =>
          table(list, {
            controller: session.controller,
            user: session.user,
            current: current ?? '',
            uuid: flags.uuid,
          }),
      }),
    );
  },
});

type Summary = NonNullable<ResultOf<'ModelManager', 'ListModelSummaries'>['results'][number]['result']>;
type Described = ReturnType<typeof describe>;

function describe(m: Summary, controller: string, timeFormat: 'exact' | 'ago', style: TimeStyle) {
  const owner = m['owner-tag'].replace(/^user-/, '');
  const count = (entity: string): number | undefined => m.counts?.find((c) => c.entity === entity)?.count;
  const connected = m['last-connection'] ?? undefined;
  const credential = shownCredential(m['cloud-credential-tag']);
  return {
    name: `${owner}/${m.name}`,
    'short-name': m.name,
    'model-uuid': m.uuid,
    'model-type': m.type || 'iaas',
    'controller-uuid': m['controller-uuid'],
    'controller-name': controller,
    'is-controller': m['is-controller'],
    owner,
    cloud: m['cloud-tag'].replace(/^cloud-/, ''),
    ...defined({ region: m['cloud-region'] || undefined, credential, type: m['provider-type'] || undefined }),
    life: m.life,
    status: {
      current: m.status.status,
      ...defined({ message: m.status.info || undefined }),
      since: formatAgo(m.status.since, style),
    },
    access: m['user-access'],
    'last-connection':
      timeFormat === 'exact' && connected ? formatTime(connected, style) : formatAgo(connected, style),
    ...defined({ sla: m.sla?.level || undefined, 'agent-version': m['agent-version'] || undefined }),
    ...(count('machines') !== undefined && { 'machine-count': count('machines')! }),
    ...defined({
      'core-count': count('cores') !== undefined ? count('cores')! : undefined,
      'unit-count': count('units') !== undefined ? count('units')! : undefined,
    }),
  };
}

function table(
  list: readonly Described[],
  { controller, user, current, uuid }: { controller: string; user: string; current: string; uuid: boolean },
): string {
  const rows = list.map((m) => [
    (m.owner === user ? m['short-name'] : m.name) + (m.name === current ? '*' : ''),
    ...(uuid ? [m['model-uuid']] : []),
    m.region ? `${m.cloud}/${m.region}` : m.cloud,
    m.type ?? '',
    m.status.current,
    String(m['machine-count'] ?? 0),
    m['core-count'] ? String(m['core-count']) : '-',
    m['unit-count'] ? String(m['unit-count']) : '-',
    m.access || '-',
    m['last-connection'],
  ]);
  const header = [
    'Model',
    ...(uuid ? ['UUID'] : []),
    'Cloud/Region',
    'Type',
    'Status',
    'Machines',
    'Cores',
    'Units',
    'Access',
    'Last connection',
  ];
  const firstCount = header.indexOf('Machines');
  return formatSections([
    { rows: [[`Controller: ${controller}`]] },
    { rows: rows.length > 0 ? [header, ...rows] : [], right: [firstCount, firstCount + 1, firstCount + 2] },
  ]);
}
