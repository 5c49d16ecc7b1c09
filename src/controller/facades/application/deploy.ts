import type { DeployRequest } from '../../../core/application/check-deploy.ts';
import { makeBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { deployApplication } from '../../transactions/begin/deploy-application.ts';
import { mustGet } from '../../transactions/tx.ts';
import { addFurtherUnits, batchOf, checkBatches } from '../shared/add-units-in-batches.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { logWarnings, validConstraints } from '../shared/constraints.ts';
import { baseFor } from '../shared/base-for.ts';
import { reusedBy, unitRules } from '../shared/new-units.ts';
import { precheckMachines } from '../shared/precheck.ts';
import { readPlacements } from '../shared/placement.ts';
import { requirementsChange } from '../shared/requirements-change.ts';
import { withDeploys } from './drop-refused-charms.ts';
import { storagesOf, wantedCounts } from '../../../core/storage/check-storage.ts';
import { storageSpecs } from '../../../core/storage/spec.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { directiveOf, storageRules } from '../shared/storage.ts';
import { readSettings } from './read-settings.ts';
import { defined } from '../../../core/defined.ts';

type Args = ParamsOf<typeof spec, 'Deploy'>['applications'][number];
type Result = ResultOf<typeof spec, 'Deploy'>['results'][number];

export async function deploy(
  call: Call,
  params: ParamsOf<typeof spec, 'Deploy'>,
): Promise<ResultOf<typeof spec, 'Deploy'>> {
  const urls = params.applications.map((args) => args['charm-url']);
  return withDeploys(call, urls, async () => {
    const results = await bulk(call, params.applications, (args) => deployOne(call, args));
    return { results };
  });
}

async function deployOne(call: Call, args: Args): Promise<Result> {
  const charm = mustGet(call.read(), 'charm', args['charm-url']);
  const { warnings, ...request } = readRequest(call, args);
  const { name, constraints, placement, force } = request;
  const base = await baseFor(call, { requested: request.base, charmBases: charm.bases, constraints, force });
  const count = request.numUnits;
  const ofModel = unitRules(call, request.reuse);
  const machines = { base, constraints, placement, count, reuse: ofModel.reuse };
  await precheckMachines(call, { ...machines, bindings: request.endpointBindings });
  const batch = batchOf(storagesOf(wantedCounts(storageSpecs(charm.meta.storage), request.storage)));
  const rules = { placement, batch, storageRules: storageRules(call), ...ofModel };
  checkBatches(call, { name, base, constraints }, { count, ...rules });
  const { firstUnits, effects } = await changeModel(call, (tx) => {
    const { units, settled } = deployApplication(tx, {
      ...request,
      ...rules,
      charmUrl: charm.url,
      charmOrigin: originOf(args, base),
      ...defined({ resources: args.resources }),
      base,
      numUnits: Math.min(count, batch),
    });
    return { firstUnits: units, effects: requirementsChange(tx, [name], settled) };
  });
  logWarnings(call, `application "${name}"`, warnings);
  const added = await addFurtherUnits(call, { application: name, count, ...rules }, firstUnits);
  return { ...reusedBy(added), ...effects };
}

/**
 * Converts a client's request to the core's types. Errors: `not supported`; those of readSettings and validConstraints.
 */
function readRequest(
  call: Call,
  args: Args,
): DeployRequest & { readonly force: boolean; readonly warnings: readonly string[] } {
  refuseUnsupported(args);
  const {
    application: name,
    'num-units': numUnits,
    'reuse-machines': reuse,
    require,
    after,
    Force: force,
  } = args;
  const base = requestedBase(args);
  const { config, trust = false } = readSettings(name, args.config ?? {}, args['config-yaml']);
  return {
    name,
    ...defined({ base }),
    numUnits,
    ...validConstraints(call, args.constraints),
    placement: readPlacements(call, args.placement ?? []),
    config,
    trust,
    storage: Object.fromEntries(
      Object.entries(args.storage ?? {}).map(([storage, wanted]) => [storage, directiveOf(wanted)]),
    ),
    attachStorage: (args['attach-storage'] ?? []).map((tag) => parseTagOf('storage', tag)),
    endpointBindings: args['endpoint-bindings'] ?? {},
    ...defined({ require, after }),
    force,
    ...defined({ reuse }),
  };
}

/** Completes the origin: python-libjuju leaves out defaults. */
function originOf({ 'charm-origin': origin }: Args, base: Base): Record<string, unknown> {
  return {
    ...origin,
    source: origin?.source || 'local',
    type: origin?.type || 'charm',
    id: origin?.id ?? '',
    base,
  };
}

function requestedBase({ 'charm-origin': origin }: Args): Base | undefined {
  const base = origin?.base;
  return base?.name ? makeBase(base.name, base.channel) : undefined;
}

function refuseUnsupported(args: Args): void {
  const unsupported = { devices: args.devices };
  for (const [option, value] of Object.entries(unsupported))
    if (value && Object.keys(value).length > 0)
      throw new JujuError('not supported', `deploying with ${option} is not supported`);
}
