import { checkBindings } from '../../../core/application/bindings.ts';
import { checkSupported } from '../../../core/charm/check-supported.ts';
import { parseConfigValues } from '../../../core/charm/config.ts';
import { checkLxdProfile } from '../../../core/charm/lxd-profile.ts';
import { makeBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { deployApplication } from '../../transactions/deploy-application.ts';
import { mustGet } from '../../transactions/tx.ts';
import { addFurtherUnits, checkBatches, unitsOfBatch } from '../shared/add-units-in-batches.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { logWarnings, validConstraints } from '../shared/constraints.ts';
import { baseFor } from '../shared/base-for.ts';
import { reusedBy, unitRules } from '../shared/new-units.ts';
import { precheckMachines } from '../shared/precheck.ts';
import { readPlacements } from '../shared/placement.ts';
import { requirementsChange } from '../shared/requirements-change.ts';
import { withDeploys } from './drop-refused-charms.ts';
import { readSettings } from './read-settings.ts';

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
  refuseUnsupported(args);
  const view = call.read();
  const charm = mustGet(view, 'charm', args['charm-url']);
  checkSupported(charm.meta, args.Force);
  if (charm.lxdProfile && !args.Force) checkLxdProfile(charm.lxdProfile);
  const { values, trust } = readSettings(args.application, args.config ?? {}, args['config-yaml']);
  const { constraints, warnings } = validConstraints(call, args.constraints);
  const base = await baseFor(call, {
    requested: requestedBase(args),
    charmBases: charm.bases,
    constraints,
    force: args.Force,
  });
  const placement = readPlacements(call, args.placement ?? []);
  const { application: name, 'num-units': count } = args;
  await precheckMachines(call, { base, constraints, placement, count });
  const rules = { placement, ...unitRules(call, args['reuse-machines']) };
  checkBatches(call, { name, base, constraints }, { count, ...rules });
  const { first, told } = await changeModel(call, (tx) => {
    const { units, settled } = deployApplication(tx, {
      name,
      charmUrl: charm.url,
      charmOrigin: originOf(args, base),
      base,
      numUnits: Math.min(count, unitsOfBatch),
      constraints,
      ...rules,
      config: parseConfigValues(charm.config, values),
      trust: trust ?? false,
      endpointBindings: checkBindings(args['endpoint-bindings'] ?? {}, charm.meta),
      ...(args.require ? { require: args.require } : {}),
    });
    return { first: units, told: requirementsChange(tx, [name], settled) };
  });
  logWarnings(call, `application "${name}"`, warnings);
  const added = await addFurtherUnits(call, { application: name, count, ...rules }, first);
  return { ...reusedBy(added), ...told };
}

/** python-libjuju leaves out what it thinks is plain. */
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
  const asked = { storage: args.storage, devices: args.devices, resources: args.resources };
  for (const [what, value] of Object.entries(asked))
    if (value && Object.keys(value).length > 0)
      throw new JujuError('not supported', `deploying with ${what} is not supported`);
  if (args['attach-storage']?.length)
    throw new JujuError('not supported', 'attaching storage is not supported');
}
