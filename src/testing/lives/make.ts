/** How units and machines come to be, in the rules of lives. */
import type { Facts, Machine } from './facts.ts';
import { refuseIf, there } from './refused.ts';

/** `#:0`, `lxd:0`, `lxd:`; '' = anywhere. */
export type Where = string;

/** Its machine now, or what it waits with: the units of a pending application get theirs when it is not any more. */
export function addUnit(
  facts: Facts,
  { application, principal, where = '' }: { application: string; principal?: string; where?: Where },
): void {
  const waits = there(facts.applications, application).pending;
  if (waits && principal === undefined) checkPlace(facts, where);
  const machine = waits ? '' : placeOf(facts, principal, where);
  const name = `${application}/${take(facts, `unit ${application}`)}`;
  const placed = { wants: waits ? where : undefined, problem: false, deployed: false };
  facts.units.set(name, { life: 'alive', application, principal, machine, ...placed });
}

/** A subordinate is where its principal is. Throws Refused. */
export function placeOf(facts: Facts, principal: string | undefined, where: Where): string {
  if (principal !== undefined) return there(facts.units, principal).machine;
  const made = { reaped: true, clean: false };
  checkPlace(facts, where);
  const [scope, to = ''] = where.split(':');
  if (scope === 'lxd') return addContainer(facts, to === '' ? undefined : to, made);
  const machine = scope === '#' ? to : (spareMachine(facts) ?? addMachine(facts, made));
  there(facts.machines, machine).clean = false;
  return machine;
}

/** Only alive machines get units; containers are only on those that are none themselves. */
function checkPlace(facts: Facts, where: Where): void {
  const [scope, to = ''] = where.split(':');
  if (to === '') return;
  const { life, parent, controller } = there(facts.machines, to);
  refuseIf(life !== 'alive' || (scope === 'lxd' && (parent !== undefined || controller)), '');
}

/** Machines with an instance first. */
function spareMachine(facts: Facts): string | undefined {
  // What those that wait have named is theirs.
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

/** On a machine that is alive and no container itself, or on a new one. */
export function addContainer(facts: Facts, to: string | undefined, made: Made): string {
  const host = to ?? addMachine(facts, { ...made, clean: false });
  const { life, parent, controller } = there(facts.machines, host);
  refuseIf(life !== 'alive' || parent !== undefined || controller, '');
  there(facts.machines, host).clean = false;
  return putMachine(facts, `${host}/lxd/${take(facts, `container ${host}/lxd`)}`, made, host);
}

function putMachine(facts: Facts, id: string, made: Made, parent?: string): string {
  const none = { keep: false, controller: false, begun: false, recorded: false };
  facts.machines.set(id, { life: 'alive', parent, ...made, ...none });
  return id;
}

/** A number is never given twice. */
export function take(facts: Facts, sequence: string): string {
  const next = facts.numbers.get(sequence) ?? 0;
  facts.numbers.set(sequence, next + 1);
  return String(next);
}
