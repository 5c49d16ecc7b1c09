/** How units and machines come to be, in the rules of lives. */
import type { Facts, Machine } from './facts.ts';
import { refuseIf, there } from './refused.ts';

export function addPrincipal(facts: Facts, application: string, to?: string): void {
  const machine = to ?? spareMachine(facts) ?? addMachine(facts, { reaped: true, clean: false });
  there(facts.machines, machine).clean = false;
  const name = `${application}/${take(facts, `unit ${application}`)}`;
  facts.units.set(name, { life: 'alive', application, principal: undefined, machine, deployed: false });
}

/** Machines with an instance first. */
function spareMachine(facts: Facts): string | undefined {
  const spare = [...facts.machines].filter(
    ([, one]) => one.clean && one.life === 'alive' && !one.controller && one.parent === undefined,
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
