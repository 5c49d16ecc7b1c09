/**
 * How many machines are in each zone, by what decides the spread: the applications of their units (domain-facts §2.7).
 * Kept from the changes as they come, so that a choice costs the zones and not the machines.
 */
import type { MachineDoc, UnitDoc } from '../../core/entities.ts';

interface Member {
  /** As recorded. */
  zone: string | undefined;
  /** Chosen, and not recorded yet: counts from now on. */
  reserved: string | undefined;
  isController: boolean;
  /** Application → its principal units on the machine. */
  readonly units: Map<string, number>;
}

/** Beside the applications, which are never called so. */
const controllers = '#controllers';
const all = '#all';

export class ZoneCounts {
  readonly #members = new Map<string, Member>();
  /** Group → zone → machines. */
  readonly #counts = new Map<string, Map<string, number>>();

  machineChanged(before: MachineDoc | undefined, after: MachineDoc | undefined): void {
    // Containers are where their hosts are.
    if ((before ?? after)?.parent !== undefined) return;
    const id = (before ?? after)?.id ?? '';
    this.#change(id, (member) => {
      member.zone = after?.zone;
      member.isController = after?.isController === true;
    });
  }

  unitChanged(before: UnitDoc | undefined, after: UnitDoc | undefined): void {
    if (before?.machine === after?.machine && before && after) return;
    this.#addUnit(before, -1);
    this.#addUnit(after, 1);
  }

  /** The machine is to be in this zone, before its record says so; undefined: as its record says. */
  reserve(machine: string, zone: string | undefined): void {
    this.#change(machine, (member) => (member.reserved = zone));
  }

  /** In the zone, without the machine itself: those of its group, and all. */
  around(machine: string, zone: string): { group: number; all: number } {
    const member = this.#members.get(machine);
    const own = member && zoneOf(member) === zone ? 1 : 0;
    let group = 0;
    for (const name of member ? groupsOf(member) : [all]) group += this.#count(name, zone) - own;
    return { group, all: this.#count(all, zone) - own };
  }

  #count(group: string, zone: string): number {
    return this.#counts.get(group)?.get(zone) ?? 0;
  }

  #addUnit(unit: UnitDoc | undefined, by: 1 | -1): void {
    if (unit?.machine === undefined || unit.principal !== undefined) return;
    this.#change(unit.machine, ({ units }) => {
      const count = (units.get(unit.application) ?? 0) + by;
      if (count > 0) units.set(unit.application, count);
      else units.delete(unit.application);
    });
  }

  #change(id: string, change: (member: Member) => void): void {
    const member = this.#members.get(id) ?? {
      zone: undefined,
      reserved: undefined,
      isController: false,
      units: new Map<string, number>(),
    };
    this.#add(member, -1);
    change(member);
    this.#add(member, 1);
    const isEmpty = zoneOf(member) === undefined && member.units.size === 0 && !member.isController;
    if (isEmpty) this.#members.delete(id);
    else this.#members.set(id, member);
  }

  #add(member: Member, by: 1 | -1): void {
    const zone = zoneOf(member);
    if (zone === undefined) return;
    for (const group of new Set([all, ...groupsOf(member)])) {
      const zones = this.#counts.get(group) ?? new Map<string, number>();
      const count = (zones.get(zone) ?? 0) + by;
      if (count > 0) zones.set(zone, count);
      else zones.delete(zone);
      if (zones.size > 0) this.#counts.set(group, zones);
      else this.#counts.delete(group);
    }
  }
}

function zoneOf({ reserved, zone }: Member): string | undefined {
  return reserved ?? zone;
}

/** Those whose sum counts: all controllers for one of them, the applications of its units, or all machines. */
function groupsOf({ isController, units }: Member): Iterable<string> {
  if (isController) return [controllers];
  return units.size > 0 ? units.keys() : [all];
}
