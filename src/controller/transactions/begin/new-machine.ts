import type { Base } from '../../../core/base.ts';
import type { Constraints } from '../../../core/constraints.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { containerTypeOf, isContainerType, placedOn, type Placement } from '../../../core/placement.ts';
import { mustGet, takeNumbers, type Tx, type View } from '../tx.ts';

export interface NewMachine {
  readonly base: Base;
  readonly constraints: Constraints;
  readonly placement: Placement | undefined;
  /** Also the host's that is made for a container. */
  readonly removeWhenEmpty: boolean;
  readonly clean: boolean;
  /** Those that the cloud has (Environ.containers). */
  readonly containerTypes: readonly string[];
}

/**
 * Makes the record of a machine; a provisioner makes the instance. A container that names no host gets a new one, which
 * has the same constraints and the provider's directive (placing.md#new-machine). `number`: the new host's, when it was
 * taken already.
 * Errors: `not found`, '' (host that is going, or cannot host), `not supported` (type), `not valid` (unknown type).
 */
export function newMachine(tx: Tx, args: NewMachine, number?: number): MachineDoc {
  const named = checkNewMachine(tx, args);
  const type = containerTypeOf(args.placement, args.constraints);
  if (type === undefined) return newHost(tx, args, number);
  // Named or new, it is no spare machine any more.
  const host = named ?? newHost(tx, { ...args, clean: false }, number);
  if (host.clean) tx.put('machine', host.id, { ...host, clean: false });
  const id = `${host.id}/${type}/${takeNumbers(tx, `container ${host.id}/${type}`)}`;
  return put(tx, { ...blank(tx, id, args), parent: host.id, containerType: type });
}

/** Could it be made now? Returns the host that is named. Errors: as newMachine. */
export function checkNewMachine(
  view: View,
  {
    placement,
    constraints,
    containerTypes,
  }: Pick<NewMachine, 'placement' | 'constraints' | 'containerTypes'>,
): MachineDoc | undefined {
  if (placement && placement.scope !== view.space && !isContainerType(placement.scope))
    throw new JujuError('not valid', `invalid container type "${placement.scope}"`);
  const type = containerTypeOf(placement, constraints);
  if (type === undefined) return undefined;
  if (!containerTypes.includes(type)) throw noSuchContainers(placement, type);
  const parent = placement && placedOn(placement);
  return parent === undefined ? undefined : theHost(view, parent, type);
}

/** Does it take the next number of the machines? */
export function needsHost(placement: Placement | undefined): boolean {
  return placement === undefined || placedOn(placement) === undefined;
}

function newHost(tx: Tx, args: NewMachine, number = takeNumbers(tx, 'machine')): MachineDoc {
  const { placement } = args;
  const machine = blank(tx, String(number), args);
  return put(tx, placement?.scope === tx.space ? { ...machine, placement } : machine);
}

function theHost(view: View, id: string, type: string): MachineDoc {
  const host = mustGet(view, 'machine', id);
  if (host.life !== 'alive') throw new JujuError('', `machine ${id} is ${host.life}`);
  // Containers are made by the agent of a machine of the cloud: in containers there is no room for more, and the
  // controller's own host has no such agent.
  if (host.parent !== undefined || host.instance?.unmanaged)
    throw new JujuError('', `machine ${id} cannot host ${type} containers`);
  return host;
}

/** What is asked of hardware is asked of the container and of a host that is made for it; the rest is done. */
function blank(tx: Tx, id: string, { base, constraints, removeWhenEmpty, clean }: NewMachine): MachineDoc {
  // Many machines share them: a copy of each would cost as much as the record.
  const hardware = constraints.container === undefined ? constraints : withoutContainer(constraints);
  return {
    id,
    life: 'alive',
    base,
    constraints: hardware,
    addresses: [],
    hostname: '',
    removeWhenEmpty,
    clean,
    keepInstance: false,
    isController: false,
    createdAt: tx.now,
  };
}

function withoutContainer(constraints: Constraints): Constraints {
  const { container: _, ...hardware } = constraints;
  return hardware;
}

function put(tx: Tx, machine: MachineDoc): MachineDoc {
  tx.put('machine', machine.id, machine);
  return machine;
}

function noSuchContainers(placement: Placement | undefined, type: string): JujuError {
  const message =
    placement?.scope === type
      ? `cannot place on "${type}${placement.directive && `:${placement.directive}`}": this cloud has no containers of that type`
      : `container constraint "${type}" not supported by this cloud`;
  return new JujuError('not supported', message);
}
