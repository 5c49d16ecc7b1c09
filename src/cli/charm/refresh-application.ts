import { parseBase } from '../../core/base.ts';
import { splitTrust } from '../../core/application/options.ts';
import { JujuError } from '../../core/errors.ts';
import { isApplicationName } from '../../core/names.ts';
import { call } from '../../client/calls.ts';
import { localResources } from '../../operate/files/local-resources.ts';
import { localCharm } from '../../operate/files/upload-charm.ts';
import {
  planRefresh,
  refreshCharm,
  type CharmRefresh,
  type BoundEndpoint,
  type RefreshEvent,
  type RefreshTarget,
} from '../../operate/refresh/refresh-charm.ts';
import type { ModelSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import { printRequirements } from '../requirements.ts';
import { parseBindings } from '../spaces.ts';
import { parseStorageArgument } from '../storage.ts';
import { readOptions } from './deploy-flags.ts';
import { localPath } from './local-path.ts';
import { parseResourceFlags } from './resource-flags.ts';
import { showRefreshPlan } from './refresh-plan.ts';
import { actionOf, rollingOf, showRollout, steerRollout, type RolloutFlags } from './rollout.ts';
import { defined } from '../../core/defined.ts';

interface RefreshFlags extends RolloutFlags {
  readonly base: string;
  readonly bind: string;
  readonly channel: string;
  readonly config: readonly string[];
  readonly force: boolean;
  readonly forceBase: boolean;
  readonly forceUnits: boolean;
  readonly format: string;
  readonly model: string;
  readonly path: string;
  readonly resource: readonly string[];
  readonly revision: number;
  readonly storage: readonly string[];
  readonly switch: string;
  readonly trust: boolean;
}

/** Refreshes an application. The charm is read, and everything known to be wrong is refused, before it is sent. */
export async function refreshApplication(
  context: CommandContext,
  application: string,
  flags: RefreshFlags,
  givenFlags: ReadonlySet<string>,
): Promise<void> {
  if (!isApplicationName(application)) throw new UsageError(`invalid application name "${application}"`);
  const action = actionOf(flags, givenFlags);
  if (action) return steerRollout(context, application, flags, action);
  checkFlags(flags, givenFlags);
  const rolling = rollingOf(flags, givenFlags);
  const { config, trust } = splitTrust(await readOptions(context, application, flags.config));
  const path = flags.path || (isPath(flags.switch) ? flags.switch : '');
  const source =
    path === '' ? undefined : await localCharm(await localPath(context, path), context.io.uploadCharm);
  // Local charms are on no channel, as in Juju, and stay so.
  if (flags.channel !== '')
    context.warning(
      `--channel ${flags.channel} is ignored: it is for charms of Charmhub, and this one is local`,
    );
  const given = parseResourceFlags(flags.resource);
  const storage = Object.fromEntries(flags.storage.map(parseStorageArgument));
  const base = flags.base === '' ? undefined : parseBase(flags.base);
  const session = await context.openModel(flags.model);
  const refresh: CharmRefresh = {
    application,
    target: source ? { source } : await targetInModel(session, application, flags),
    config,
    ...defined({ trust: givenFlags.has('trust') ? flags.trust : trust, base, rolling }),
    storage,
    readResources: (resources) => localResources(context.io, { resources }, given),
    endpointBindings: parseBindings(flags.bind),
    force: flags.force,
    forceBase: flags.forceBase,
    forceUnits: flags.forceUnits,
  };
  if (flags.dryRun) return showRefreshPlan(context, flags.format, await planRefresh(session, refresh));
  const operator = context.operator<RefreshEvent>((event) => printEvent(context, event));
  const { charmUrl, requirements } = await refreshCharm(operator, session, refresh);
  await printRequirements(context, flags.format, requirements, { application, charm: charmUrl });
  if (rolling) await showRollout(context, session, application, flags);
}

/** Checks the flags. Errors: UsageError. */
function checkFlags(flags: RefreshFlags, givenFlags: ReadonlySet<string>): void {
  for (const [a, b] of [
    ['switch', 'revision'],
    ['path', 'revision'],
    ['switch', 'path'],
  ] as const)
    if (givenFlags.has(a) && givenFlags.has(b))
      throw new UsageError(`--${a} and --${b} are mutually exclusive`);
}

function isPath(text: string): boolean {
  return /^(\/|\.\.?\/|~\/)/.test(text) || text.endsWith('.charm');
}

/**
 * Returns the charm that --switch or --revision names, or the one that the application has. Errors: `not found`
 * (application); '' when nothing says what to refresh to; UsageError for a charm of a store.
 */
async function targetInModel(
  { connection }: ModelSession,
  application: string,
  flags: RefreshFlags,
): Promise<RefreshTarget> {
  if (flags.switch === '') {
    const { url } = await call(connection, 'Application', 'GetCharmURLOrigin', {
      application,
      branch: 'master',
    });
    if (flags.revision >= 0) return { charmUrl: url.replace(/-\d+$/, `-${flags.revision}`) };
    // Resources can be rolled out alone, for the charm that the application has.
    if (!flags.rolling || flags.resource.length === 0)
      throw new JujuError('', 'refreshing a local charm requires either --path or --switch');
    return { charmUrl: url };
  }
  if (!flags.switch.startsWith('local:'))
    throw new UsageError(
      `cannot switch to "${flags.switch}": expected a path (./mysql) or a charm of the model (local:mysql-2); Charmhub is not supported`,
    );
  return { charmUrl: flags.switch };
}

function printEvent(context: CommandContext, event: RefreshEvent): void {
  switch (event.kind) {
    case 'charm added': {
      const revision = /(?<!\d)\d+$/.exec(event.charmUrl)?.[0] ?? 0;
      return context.info(`Added local charm "${event.charm}", revision ${revision}, to the model`);
    }
    case 'refreshed':
      for (const line of bindingLines(event.endpoints)) context.info(line);
  }
}

/** Formats the spaces that the endpoints are bound to now, in Juju's words. */
function bindingLines(endpoints: readonly BoundEndpoint[]): string[] {
  const kept = endpoints.filter(({ from, space }) => from === space);
  return [
    ...[...Map.groupBy(kept, ({ space }) => space)].map(
      ([space, named]) =>
        `no change to endpoints in space "${space}": ${named.map(({ name }) => name).join(', ')}`,
    ),
    ...endpoints.flatMap(({ name, space, isDefault, from }) => {
      if (from === space) return [];
      return from === undefined
        ? `adding endpoint "${name}" to ${isDefault ? 'default ' : ''}space "${space}"`
        : `moving endpoint "${name}" from space "${from}" to "${space}"`;
    }),
  ];
}
