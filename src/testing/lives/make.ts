/** Creation of units and machines in the rules of lives. */
import type { Facts, Machine } from './facts.ts';
import { refuseIf, existing } from './refused.ts';

/** Placement: `#:0`, `lxd:0`, `lxd:`; '' = anywhere. */
type Where = string;

/**
 * Adds a unit with its machine. Units of a pending application keep their placement and get a machine when it is no
 * longer pending.
 */
export function addUnit(
  facts: Facts,
  { application, principal, where = '' }: { application: string; principal?: string; where?: Where },
): string {
  const waits = existing(facts.applications, application).pending;
  if (waits && principal === undefined) checkPlace(facts, where);
  const machine = waits ? '' : placeOf(facts, principal, where);
  const name = `${application}/${take(facts, `unit ${application}`)}`;
  const placed = { wants: waits ? where : undefined, problem: false, deployed: false };
  facts.units.set(name, { life: 'alive', application, principal, machine, ...placed });
  return name;
}

/** Returns the machine for a new unit; a subordinate's is its principal's. Throws Refused. */
export function placeOf(facts: Facts, principal: string | undefined, where: Where): string {
  if (principal !== undefined) return existing(facts.units, principal).machine;
  const made = { reaped: true, clean: false };
  checkPlace(facts, where);
  const [scope, to = ''] = where.split(':');
  if (scope === 'lxd') return addContainer(facts, to === '' ? undefined : to, made);
  const machine = scope === '#' ? to : (spareMachine(facts) ?? addMachine(facts, made));
  existing(facts.machines, machine).clean = false;
  return machine;
}

/** Refuses machines that are not alive, and containers in containers. */
function checkPlace(facts: Facts, where: Where): void {
  const [scope, to = ''] = where.split(':');
  if (to === '') return;
  const { life, parent, controller } = existing(facts.machines, to);
  refuseIf(life !== 'alive' || (scope === 'lxd' && (parent !== undefined || controller)), '');
}

/** Returns a machine for reuse; machines with an instance come first. */
function spareMachine(facts: Facts): string | undefined {
  // Machines that waiting units have named are reserved for them.
  const named = new Set([...facts.units.values()].map(({ wants }) => wants?.split(':')[1]));
  const spare = [...facts.machines].filter(
    ([id, one]) =>
      one.clean && one.life === 'alive' && !one.controller && one.parent === undefined && !named.has(id),
  );
  return (spare.find(([, one]) => one.recorded) ?? spare[0])?.[0];
}

type Made = Pick<Machine, 'clean' | 'reaped'>;

export function addMachine(facts: Facts, made: Made): string {
  return putMachine(facts, take(facts, 'machine'), made);
}

/** Adds a container on an alive machine that is not a container, or on a new machine. */
export function addContainer(facts: Facts, to: string | undefined, made: Made): string {
  const host = to ?? addMachine(facts, { ...made, clean: false });
  const { life, parent, controller } = existing(facts.machines, host);
  refuseIf(life !== 'alive' || parent !== undefined || controller, '');
  existing(facts.machines, host).clean = false;
  return putMachine(facts, `${host}/lxd/${take(facts, `container ${host}/lxd`)}`, made, host);
}

function putMachine(facts: Facts, id: string, made: Made, parent?: string): string {
  const none = { keep: false, controller: false, begun: false, recorded: false };
  facts.machines.set(id, { life: 'alive', parent, ...made, ...none });
  return id;
}

/** Takes the next number of a sequence, which is never given again. */
export function take(facts: Facts, sequence: string): string {
  const next = facts.numbers.get(sequence) ?? 0;
  facts.numbers.set(sequence, next + 1);
  return String(next);
}
