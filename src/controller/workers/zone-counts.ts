/**
 * Number of machines of each distribution group in each zone (machines.md#distribution-group). Counts follow the
 * changes as they come, so that the cost of a choice depends on the zones and not on the machines.
 */
import type { MachineDoc } from '../../core/machine/document.ts';
import type { UnitDoc } from '../../core/unit/document.ts';

/** A machine with a zone, or a controller. */
interface Member {
  readonly id: string;
  /** Recorded zone. */
  zone: string | undefined;
  /** Chosen zone that is not recorded yet: it counts from now on. */
  reserved: string | undefined;
  isController: boolean;
  /** Principal units on the machine, by application. */
  readonly applications: Map<string, Set<string>>;
}

/** Group of all controllers, beside the applications, none of which can have this name. */
const controllers = '#controllers';
const all = '#all';

export class ZoneCounts {
  readonly #unitsOn: (machine: string) => Iterable<UnitDoc>;
  readonly #members = new Map<string, Member>();
  /** Counts by group, then zone. */
  readonly #counts = new Map<string, Map<string, number>>();

  /**
   * @param unitsOn Returns the units of a machine at present: machines get their zones long after their units, so that
   * until then a deploy of many units is not counted at all. Changes that it includes may be reported later.
   */
  constructor(unitsOn: (machine: string) => Iterable<UnitDoc>) {
    this.#unitsOn = unitsOn;
  }

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
    if (before) this.#unitLeft(before);
    if (after) this.#unitCame(after);
  }

  /** Reserves a zone for the machine before its record has it; undefined ends the reservation. */
  reserve(machine: string, zone: string | undefined): void {
    const member = this.#withdraw(machine);
    member.reserved = zone;
    this.#restore(member);
  }

  /** Number of other machines in the zone: those of the machine's group, and all. */
  othersInZone(machine: string, zone: string): { group: number; all: number } {
    const member = this.#members.get(machine) ?? this.#newMember(machine);
    const ownCount = zoneOf(member) === zone ? 1 : 0;
    let group = 0;
    for (const name of groupsOf(member)) group += this.#count(name, zone) - ownCount;
    return { group, all: this.#count(all, zone) - ownCount };
  }

  #count(group: string, zone: string): number {
    return this.#counts.get(group)?.get(zone) ?? 0;
  }

  // Units do not go through the change of a zone: a machine may have units of thousands of applications.
  #unitCame(unit: UnitDoc): void {
    const member = this.#members.get(unit.machine ?? '');
    if (member && enter(member, unit) === 1) this.#countUnits(member, unit, 1);
  }

  #unitLeft({ name, application, machine = '' }: UnitDoc): void {
    const member = this.#members.get(machine);
    const units = member?.applications.get(application);
    if (!member || !units?.delete(name) || units.size > 0) return;
    member.applications.delete(application);
    this.#countUnits(member, { application }, -1);
  }

  #countUnits(member: Member, { application }: Pick<UnitDoc, 'application'>, delta: 1 | -1): void {
    const zone = zoneOf(member);
    if (zone !== undefined && !member.isController) this.#addTo(application, zone, delta);
  }

  /** Removes a machine from the counts until it is given back. */
  #withdraw(id: string): Member {
    const known = this.#members.get(id);
    if (known) {
      this.#add(known, -1);
      return known;
    }
    return this.#newMember(id);
  }

  #newMember(id: string): Member {
    const member: Member = {
      id,
      zone: undefined,
      reserved: undefined,
      isController: false,
      applications: new Map(),
    };
    for (const unit of this.#unitsOn(id)) enter(member, unit);
    return member;
  }

  #restore(member: Member): void {
    this.#add(member, 1);
    this.#keep(member);
  }

  #keep(member: Member): void {
    if (zoneOf(member) === undefined && !member.isController) this.#members.delete(member.id);
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

/** Enters a principal unit; returns how many its application has on the machine, 0 when nothing has changed. */
function enter({ applications }: Member, { name, application, principal }: UnitDoc): number {
  if (principal !== undefined) return 0;
  const units = applications.get(application);
  if (units?.has(name)) return 0;
  if (!units) applications.set(application, new Set([name]));
  else units.add(name);
  return units?.size ?? 1;
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
