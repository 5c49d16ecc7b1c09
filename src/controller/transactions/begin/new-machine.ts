import type { Base } from '../../../core/base.ts';
import type { Constraints } from '../../../core/constraints.ts';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { containerTypeOf, isContainerType, placedOn, type Placement } from '../../../core/placement.ts';
import { mustGet, takeNumbers, type Tx, type View } from '../tx.ts';

interface NewMachine {
  readonly base: Base;
  readonly constraints: Constraints;
  readonly placement: Placement | undefined;
  /** Removal policy of the machine, and of a host that is created for a container. */
  readonly removeWhenEmpty: boolean;
  readonly clean: boolean;
  /** Container types that the cloud supports (Environ.containers). */
  readonly containerTypes: readonly string[];
}

/**
 * Creates the record of a machine; a provisioner creates the instance later. A container without a named host gets a
 * new host, which has the same constraints and the provider's directive (placing.md#new-machine). `number` is the new
 * host's number, when it was taken already.
 * Errors: `not found`, '' (host that is going, or cannot host), `not supported` (type), `not valid` (unknown type).
 */
export function newMachine(tx: Tx, args: NewMachine, number?: number): MachineDoc {
  const named = checkNewMachine(tx, args);
  const type = containerTypeOf(args.placement, args.constraints);
  if (type === undefined) return newHost(tx, args, number);
  // A host that gets a container, named or new, is no spare machine any more.
  const host = named ?? newHost(tx, { ...args, clean: false }, number);
  if (host.clean) tx.put('machine', host.id, { ...host, clean: false });
  const id = `${host.id}/${type}/${takeNumbers(tx, `container ${host.id}/${type}`)}`;
  return putMachine(tx, { ...blankMachine(tx, id, args), parent: host.id, containerType: type });
}

/** Checks that the machine could be created now and returns the named host, if any. Errors: as newMachine. */
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
  return parent === undefined ? undefined : getHost(view, parent, type);
}

/** True when the placement needs a new host, which takes the next machine number. */
export function needsHost(placement: Placement | undefined): boolean {
  return placement === undefined || placedOn(placement) === undefined;
}

function newHost(tx: Tx, args: NewMachine, number = takeNumbers(tx, 'machine')): MachineDoc {
  const { placement } = args;
  const machine = blankMachine(tx, String(number), args);
  return putMachine(tx, placement?.scope === tx.space ? { ...machine, placement } : machine);
}

function getHost(view: View, id: string, type: string): MachineDoc {
  const host = mustGet(view, 'machine', id);
  if (host.life !== 'alive') throw new JujuError('', `machine ${id} is ${host.life}`);
  // Containers are created by the agent of a machine of the cloud: containers cannot hold further containers, and the
  // controller's own host has no such agent.
  if (host.parent !== undefined || host.instance?.unmanaged)
    throw new JujuError('', `machine ${id} cannot host ${type} containers`);
  return host;
}

/** Addresses of all new machines, which share the object, like the constraints. */
const noAddresses: MachineDoc['addresses'] = Object.freeze([]);

/**
 * New record of a machine. Hardware constraints apply to the container and to a host that is created for it; the
 * container constraint has been applied already.
 */
function blankMachine(
  tx: Tx,
  id: string,
  { base, constraints, removeWhenEmpty, clean }: NewMachine,
): MachineDoc {
  // Machines share one constraints object: a copy for each would cost as much as the record.
  const hardware = constraints.container === undefined ? constraints : withoutContainer(constraints);
  return {
    id,
    life: 'alive',
    base,
    constraints: hardware,
    addresses: noAddresses,
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

function putMachine(tx: Tx, machine: MachineDoc): MachineDoc {
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
