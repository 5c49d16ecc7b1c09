/**
 * Number of machines of each distribution group in each zone (machines.md#distribution-group). Counts follow the
 * changes as they come, so that the cost of a choice depends on the zones and not on the machines.
 */
import type { MachineDoc } from '../../core/machine/document.ts';
import type { UnitDoc } from '../../core/unit/document.ts';

interface Member {
  readonly id: string;
  /** Recorded zone. */
  zone: string | undefined;
  /** Chosen zone that is not recorded yet: it counts from now on. */
  reserved: string | undefined;
  isController: boolean;
  /** Number of principal units on the machine, by application. */
  readonly applications: Map<string, number>;
}

/** Group of all controllers, beside the applications, none of which can have this name. */
const controllers = '#controllers';
const all = '#all';
/** Limit for uncounted changes in clouds without zones, where nobody ever asks for counts. */
const uncountedMax = 20_000;

export class ZoneCounts {
  readonly #members = new Map<string, Member>();
  /** Changes that are counted on the first question: a deploy of many units is answered first. */
  #uncounted: { readonly machine: string; readonly application: string; readonly delta: 1 | -1 }[] = [];
  /** Counts by group, then zone. */
  readonly #counts = new Map<string, Map<string, number>>();

  machineChanged(before: MachineDoc | undefined, after: MachineDoc | undefined): void {
    // Containers are in the zones of their hosts.
    if ((before ?? after)?.parent !== undefined) return;
    const isController = after?.isController === true;
    // Most changes, including each new machine, change nothing here: the machine gets its zone later.
    if (before?.zone === after?.zone && (before?.isController === true) === isController) return;
    const member = this.#withdraw((before ?? after)?.id ?? '');
    member.zone = after?.zone;
    member.isController = isController;
    this.#restore(member);
  }

  unitChanged(before: UnitDoc | undefined, after: UnitDoc | undefined): void {
    if (before?.machine === after?.machine && before && after) return;
    if (before) this.#enqueue(before, -1);
    if (after) this.#enqueue(after, 1);
  }

  /** Reserves a zone for the machine before its record has it; undefined ends the reservation. */
  reserve(machine: string, zone: string | undefined): void {
    const member = this.#withdraw(machine);
    member.reserved = zone;
    this.#restore(member);
  }

  /** Number of other machines in the zone: those of the machine's group, and all. */
  othersInZone(machine: string, zone: string): { group: number; all: number } {
    this.#countUnits();
    const member = this.#members.get(machine);
    const ownCount = member && zoneOf(member) === zone ? 1 : 0;
    let group = 0;
    for (const name of member ? groupsOf(member) : [all]) group += this.#count(name, zone) - ownCount;
    return { group, all: this.#count(all, zone) - ownCount };
  }

  #count(group: string, zone: string): number {
    return this.#counts.get(group)?.get(zone) ?? 0;
  }

  #enqueue(unit: UnitDoc, delta: 1 | -1): void {
    if (unit.machine === undefined || unit.principal !== undefined) return;
    this.#uncounted.push({ machine: unit.machine, application: unit.application, delta });
    if (this.#uncounted.length >= uncountedMax) this.#countUnits();
  }

  #countUnits(): void {
    const changes = this.#uncounted;
    if (changes.length === 0) return;
    this.#uncounted = [];
    for (const { machine, application, delta } of changes) {
      // Units do not go through the change of a zone: a machine may have units of thousands of applications.
      const member = this.#members.get(machine) ?? newMember(machine);
      const zone = zoneOf(member);
      const before = member.applications.get(application) ?? 0;
      const after = Math.max(0, before + delta);
      if (after > 0) member.applications.set(application, after);
      else member.applications.delete(application);
      if (zone !== undefined && !member.isController && before > 0 !== after > 0)
        this.#addTo(application, zone, delta);
      this.#keep(member);
    }
  }

  /** Removes a machine from the counts until it is given back. */
  #withdraw(id: string): Member {
    const known = this.#members.get(id);
    if (known) {
      this.#add(known, -1);
      return known;
    }
    return newMember(id);
  }

  #restore(member: Member): void {
    this.#add(member, 1);
    this.#keep(member);
  }

  #keep(member: Member): void {
    const isEmpty = zoneOf(member) === undefined && member.applications.size === 0 && !member.isController;
    if (isEmpty) this.#members.delete(member.id);
    else this.#members.set(member.id, member);
  }

  #add(member: Member, delta: 1 | -1): void {
    const zone = zoneOf(member);
    if (zone === undefined) return;
    for (const group of new Set([all, ...groupsOf(member)])) this.#addTo(group, zone, delta);
  }

  #addTo(group: string, zone: string, delta: 1 | -1): void {
    const zones = this.#counts.get(group) ?? new Map<string, number>();
    const count = (zones.get(zone) ?? 0) + delta;
    if (count > 0) zones.set(zone, count);
    else zones.delete(zone);
    if (zones.size > 0) this.#counts.set(group, zones);
    else this.#counts.delete(group);
  }
}

function newMember(id: string): Member {
  return { id, zone: undefined, reserved: undefined, isController: false, applications: new Map() };
}

function zoneOf({ reserved, zone }: Member): string | undefined {
  return reserved ?? zone;
}

/**
 * Groups whose counts are summed for a machine: all controllers for a controller, the applications of its units, or all
 * machines.
 */
function groupsOf({ isController, applications }: Member): Iterable<string> {
  if (isController) return [controllers];
  return applications.size > 0 ? applications.keys() : [all];
}
