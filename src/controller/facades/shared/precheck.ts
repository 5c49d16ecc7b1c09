import type { Base } from '../../../core/base.ts';
import { mergeConstraints, type Constraints } from '../../../core/constraints.ts';
import { JujuError, notValid } from '../../../core/errors.ts';
import { networksRefused, severalSpaces, wantedSpaces } from '../../../core/network/machine-networks.ts';
import { isContainerType, machineScope, type Placement } from '../../../core/placement.ts';
import type { Environ } from '../../../providers/contract/provider.ts';
import type { Call } from '../../facade.ts';
import { spareMachines } from '../../transactions/begin/place-units.ts';
import type { View } from '../../transactions/tx.ts';
import { knownSpaces } from '../../transactions/shared/spaces.ts';
import { currentModel } from './model.ts';

/**
 * Refuses, before anything is created, machines that the cloud could never start: by the constraints that they would
 * have, the model's among them, and each of the provider's own directives. Containers are machines too. Existing
 * machines are checked by the transaction. Errors: `not valid`, in the provider's words.
 */
export async function precheckMachines(
  call: Call,
  args: {
    readonly base: Base;
    readonly constraints: Constraints;
    readonly placement: readonly Placement[];
    readonly count: number;
    /** Bindings of the application whose units the machines are for. */
    readonly bindings?: Readonly<Record<string, string>>;
    /** Whether units without a placement may get machines that run. */
    readonly reuse?: boolean;
  },
): Promise<void> {
  const environ = call.services.environ(call.modelUuid, call.read());
  const constraints = constraintsOf(call, args.constraints);
  const usedPlacements = args.placement.slice(0, args.count);
  const isDirective = ({ scope }: Placement): boolean => scope === call.modelUuid;
  const directives = new Set(usedPlacements.filter(isDirective).map(({ directive }) => directive));
  const isNew = ({ scope }: Placement): boolean => scope !== machineScope;
  if (usedPlacements.some(isNew) || usedPlacements.length < args.count)
    refuseWithoutAgent(call, environ, constraints);
  refuseNetworks(call, environ, { ...args, constraints, placement: usedPlacements });
  for (const placement of directives) await environ.precheck({ base: args.base, constraints, placement });
  const hasNewMachines = usedPlacements.some((one) => !isDirective(one) && isNew(one));
  if (hasNewMachines || usedPlacements.length < args.count)
    await environ.precheck({ base: args.base, constraints });
}

/**
 * Refuses machines that are to be started in spaces on a cloud that does not choose networks, and containers in several
 * spaces (networks.md#networks-of-machines). Errors: `not supported`.
 */
function refuseNetworks(
  call: Call,
  { networks }: Environ,
  needs: Parameters<typeof precheckMachines>[1],
): void {
  const view = call.read();
  const { constraints, placement } = needs;
  const { has, fallback } = knownSpaces(view);
  // A space that is not there is refused by the transaction.
  const known = Object.entries(needs.bindings ?? {}).filter(([, space]) => has(space));
  const bindings = { '': fallback, ...Object.fromEntries(known) };
  const spaces = wantedSpaces({ constraints, bindings: [bindings], hasSpace: has });
  if (spaces.asked.length + spaces.excluded.length === 0) return;
  if (!networks && startsMachines(view, { ...needs, bindings }))
    throw new JujuError('not supported', networksRefused);
  if (spaces.asked.length > 1 && placement.some(({ scope }) => isContainerType(scope)))
    throw new JujuError('not supported', severalSpaces(spaces.asked));
}

/** Whether the cloud has to start a machine for the units: a new one, or one that is named and does not run yet. */
function startsMachines(
  view: View,
  {
    base,
    bindings,
    constraints,
    placement,
    count,
    reuse = false,
  }: Parameters<typeof precheckMachines>[1] & { readonly bindings: Readonly<Record<string, string>> },
): boolean {
  const isStarted = ({ scope, directive }: Placement): boolean => {
    if (isContainerType(scope)) return false;
    if (scope !== machineScope) return true;
    const machine = view.get('machine', directive);
    return machine !== undefined && machine.parent === undefined && machine.instance === undefined;
  };
  const unplaced = count - placement.length;
  if (placement.some(isStarted) || (unplaced > 0 && !reuse)) return true;
  return (
    unplaced > 0 &&
    spareMachines(view, { name: '', base, endpointBindings: bindings }, constraints).length < unplaced
  );
}

/** Checks an existing machine (if it exists) with new constraints, which would replace all that it has. */
export async function precheckMachine(call: Call, id: string, constraints: Constraints): Promise<void> {
  const view = call.read();
  const machine = view.get('machine', id);
  if (!machine) return;
  const { base, placement } = machine;
  const directive = placement?.scope === call.modelUuid ? { placement: placement.directive } : {};
  const environ = call.services.environ(call.modelUuid, view);
  if (machine.parent === undefined) refuseWithoutAgent(call, environ, constraints);
  await environ.precheck({ base, constraints, ...directive });
}

/**
 * Refuses machines that would boot without an agent for their architecture: the one asked for, or all of the cloud's.
 */
function refuseWithoutAgent(
  { services: { bundles } }: Call,
  environ: Environ,
  constraints: Constraints,
): void {
  if (environ.delivery !== 'download') return;
  const { arch } = constraints;
  const possible = arch === undefined ? (environ.constraints.vocabulary.arch ?? []) : [arch];
  const absences = possible.map((one) => bundles.absence(one));
  const [absence] = absences;
  if (absence !== undefined && absences.every((one) => one !== undefined)) throw notValid(absence);
}

/** Constraints that a new machine or unit would have: its own over the model's. */
export function constraintsOf(call: Call, requested: Constraints): Constraints {
  const { constraints: model, uuid } = currentModel(call);
  return mergeConstraints(model, requested, call.services.environ(uuid, call.read()).constraints.conflicts);
}
