import { makeBase } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Placement } from '../../../core/placement.ts';
import type { machineManager as spec } from '../../../wire/facades/machine-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addMachine } from '../../transactions/begin/add-machine.ts';
import { enlistMachine } from '../../transactions/begin/enlist-machine.ts';
import { baseFor } from '../shared/base-for.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { logWarnings, validConstraints } from '../shared/constraints.ts';
import { machineRules } from '../shared/new-units.ts';
import { readPlacement } from '../shared/placement.ts';
import { precheckMachines } from '../shared/precheck.ts';
import { readHost } from './enlist.ts';
import { defined } from '../../../core/defined.ts';

type Args = ParamsOf<typeof spec, 'AddMachines'>['params'][number];

export async function addMachines(
  call: Call,
  params: ParamsOf<typeof spec, 'AddMachines'>,
): Promise<ResultOf<typeof spec, 'AddMachines'>> {
  const machines = await bulk(call, params.params, async (args) => ({ machine: await addOne(call, args) }));
  return { machines: machines.map((one) => ('error' in one ? { machine: '', ...one } : one)) };
}

async function addOne(call: Call, args: Args): Promise<string> {
  // All storage is a charm's (storage.md#disks-of-machines).
  if (args.disks?.length) throw new JujuError('not supported', 'adding disks to a machine is not supported');
  const { constraints, warnings } = validConstraints(call, args.constraints);
  if (constraints.container)
    throw new JujuError(
      'not valid',
      `container constraint "${constraints.container}" not allowed when adding a machine`,
    );
  const base = await baseFor(call, {
    requested: args.base?.name ? makeBase(args.base.name, args.base.channel) : undefined,
    charmBases: [],
    constraints,
    force: false,
  });
  const rules = machineRules(call);
  if (args['instance-id'] !== '') {
    const host = { base, constraints, ...readHost(args), ...rules, agentKey: call.services.agentKey };
    const { id } = await changeModel(call, (tx) => enlistMachine(tx, host));
    logWarnings(call, `machine ${id}`, warnings);
    return id;
  }
  const placement = placementOf(call, args);
  await precheckMachines(call, { base, constraints, placement: placement ? [placement] : [], count: 1 });
  const machine = await changeModel(call, (tx) =>
    addMachine(tx, {
      base,
      constraints,
      ...defined({ placement }),
      removeWhenEmpty: false,
      annotations: args.annotations ?? {},
      ...rules,
    }),
  );
  logWarnings(call, `machine ${machine.id}`, warnings);
  return machine.id;
}

/** Placement of a machine; old clients name a container by its type and its host. */
function placementOf(call: Call, args: Args): Placement | undefined {
  if (args.placement && (args.placement.scope !== '' || args.placement.directive !== ''))
    return readPlacement(call, args.placement);
  if (args['container-type'] !== '') return { scope: args['container-type'], directive: args['parent-id'] };
  if (args['parent-id'] !== '')
    throw new JujuError('bad request', 'parent machine specified without container type');
  return undefined;
}
