import type { Base } from '../base.ts';
import type { Constraints } from '../constraints.ts';
import { defineKind } from '../kind.ts';
import { type Ending, isForced, type Life } from '../life.ts';
import { limits } from '../limits.ts';
import { placedOn, type Placement } from '../placement.ts';
import { ofModel } from '../quota.ts';
import { describeUnit } from './history.ts';

/** A unit. Model space; id = unit name. */
export interface UnitDoc extends Ending {
  readonly name: string;
  readonly application: string;
  readonly life: Life;
  /** The principal's unit name; absent for principals. */
  readonly principal?: string;
  /**
   * The unit's machine; absent while the unit waits for its application's requirements, so that no agent deploys it.
   */
  readonly machine?: string;
  /** How the unit is to be placed; present only without a machine. */
  readonly unplaced?: Unplaced;
  /** The charm that the unit runs now; follows the application's at upgrade. */
  readonly charmUrl: string;
  /**
   * The application's charmModifiedVersion when the unit took the charm, or the contents of resources; set by roll-outs
   * of resources.
   */
  readonly charmModifiedVersion?: number;
  /** The charm that a roll-out has let the unit take, while its batch goes on. */
  readonly released?: string;
  /** When the unit took what it is released to (RFC 3339): errors from before that are not of the new charm. */
  readonly takenAt?: string;
  readonly base: Base;
  /** Constraints captured when the unit was created (placing.md#capture). */
  readonly constraints: Constraints;
  readonly resolved: '' | 'retry-hooks' | 'no-hooks';
  /** Endpoint ('' = all) → port ranges as text: `80/tcp`, `9000-9010/udp`, `icmp`. */
  readonly ports: Readonly<Record<string, readonly string[]>>;
  readonly workloadVersion: string;
  /** Whether the machine's agent has started the unit's agent; before that a removal does not wait for any agent. */
  readonly deployed: boolean;
  readonly createdAt: string;
}

/** How a unit is to be placed when its application's requirements are met. */
export interface Unplaced {
  /** The requested placement; a subordinate goes to its principal's machine. */
  readonly placement?: Placement;
  /** Whether the unit may take a machine that never had a unit. */
  readonly reuse?: true;
  /** The reason why the last placement failed: `machine 5 not found`. */
  readonly problem?: string;
}

/** Value of the index `charm`: the units of an application that run a charm. */
export function charmOfUnits(application: string, charmUrl: string): string {
  if (last.application !== application || last.charmUrl !== charmUrl)
    last = { application, charmUrl, value: `${application} ${charmUrl}` };
  return last.value;
}

/** Value of the index `modified`: the units of an application that have contents of resources of that version. */
export function modifiedUnits(application: string, version: number): string {
  return `${application} ${version}`;
}

/**
 * The last value of the index: units that are written together have the same value, and a text that is made anew is
 * hashed anew.
 */
let last = { application: '', charmUrl: '', value: ' ' };

export const unit = defineKind<UnitDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  indexes: {
    application: (doc) => doc.application,
    machine: (doc) => doc.machine,
    principal: (doc) => doc.principal,
    charm: ({ application, charmUrl }) => charmOfUnits(application, charmUrl),
    modified: ({ application, charmModifiedVersion: version }) =>
      version === undefined ? undefined : modifiedUnits(application, version),
    /** Units of the current batch of their application's roll-out. */
    batch: ({ application, released }) => (released === undefined ? undefined : application),
    force: isForced,
    /** Units that wait for requirements or are about to be placed, by application. */
    unplaced: (doc) => (doc.unplaced ? doc.application : undefined),
    /** Waiting units, by the machine that their placement names. */
    named: ({ unplaced }) => unplaced?.placement && placedOn(unplaced.placement),
  },
  findRemovedBy: ['application', 'machine'],
  quota: {
    measures: [{ limit: limits.openPorts, of: ({ ports }) => Object.values(ports).flat() }],
    counts: [{ limit: limits.units, ...ofModel }],
  },
  upkeep: 'old',
  describe: describeUnit,
});
