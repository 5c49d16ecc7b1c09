import type { ApplicationDoc } from '../../../core/application/document.ts';
import { makeBase, type Base } from '../../../core/base.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { refreshApplication, type RefreshArgs } from '../../transactions/change/refresh-application.ts';
import { mustGet, type View } from '../../transactions/tx.ts';
import { changeModel } from '../shared/change-model.ts';
import { directiveOf, storageRules } from '../shared/storage.ts';
import { requirementsChange } from '../shared/requirements-change.ts';
import { withDeploys } from './drop-refused-charms.ts';
import { readSettings } from './read-settings.ts';
import { defined } from '../../../core/defined.ts';

type Params = ParamsOf<typeof spec, 'SetCharm'>;

export function setCharm(call: Call, params: Params): Promise<ResultOf<typeof spec, 'SetCharm'>> {
  return withCharm(call, params, refreshApplication);
}

/** Operation of a refresh for the model's blocks: none stops one with `force-units`, by which failed units get out. */
export function asRefresh(params: Pick<Params, 'force-units'>): 'change' | 'never' {
  return params['force-units'] ? 'never' : 'change';
}

/** Runs a transaction that gives the application the charm of the call. */
export async function withCharm(
  call: Call,
  params: Params,
  refresh: typeof refreshApplication,
): Promise<ResultOf<typeof spec, 'SetCharm'>> {
  const { application: name, 'charm-url': charmUrl } = params;
  const argsOf = refreshArgs(call, params);
  return withDeploys(call, [charmUrl], () =>
    changeModel(call, (tx) => requirementsChange(tx, [name], refresh(tx, argsOf(tx)).settled)),
  );
}

/** Reads the parameters of a refresh; the rest of them depends on the application. Errors: `not valid`. */
export function refreshArgs(call: Call, params: Params): (view: View) => RefreshArgs {
  const { application: name, 'charm-url': charmUrl } = params;
  const { config, trust } = readSettings(
    name,
    params['config-settings'] ?? {},
    params['config-settings-yaml'] ?? '',
  );
  const base = requestedBase(params);
  const storage = Object.entries(params['storage-constraints'] ?? {}).map(
    ([storageName, wanted]) => [storageName, directiveOf(wanted)] as const,
  );
  const rules = storageRules(call);
  return (view) => ({
    application: name,
    charmUrl,
    charmOrigin: originOf(params, mustGet(view, 'application', name), base),
    config,
    ...defined({ trust, base }),
    endpointBindings: params['endpoint-bindings'] ?? {},
    force: params.force,
    forceBase: params['force-base'],
    forceUnits: params['force-units'],
    resources: params['resource-ids'] ?? {},
    storage: Object.fromEntries(storage),
    storageRules: rules,
  });
}

/** The origin as it is stored: clients leave out defaults. */
function originOf(
  { 'charm-origin': origin }: Params,
  { base: before, charmOrigin }: Pick<ApplicationDoc, 'base' | 'charmOrigin'>,
  base: Base = before,
): Record<string, unknown> {
  const { architecture = charmOrigin['architecture'] } = origin ?? {};
  return {
    ...origin,
    source: origin?.source || 'local',
    type: origin?.type || 'charm',
    id: origin?.id ?? '',
    base,
    ...defined({ architecture }),
  };
}

function requestedBase({ 'charm-origin': origin }: Params): Base | undefined {
  const base = origin?.base;
  return base?.name ? makeBase(base.name, base.channel) : undefined;
}
