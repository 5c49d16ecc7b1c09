import type { Base } from '../base.ts';
import type { Constraints } from '../constraints.ts';
import { defineKind } from '../kind.ts';
import { type Ending, isForced, type Life } from '../life.ts';
import { limits } from '../limits.ts';
import { placedOn, type Placement } from '../placement.ts';
import { ofModel } from '../quota.ts';
import { describeUnit } from './history.ts';

/** Model space; id = unit name. */
export interface UnitDoc extends Ending {
  readonly name: string;
  readonly application: string;
  readonly life: Life;
  /** The principal's unit name; absent for principals. */
  readonly principal?: string;
  /** Absent while it waits for its application's requirements: nobody deploys it. */
  readonly machine?: string;
  /** Only without a machine. */
  readonly unplaced?: Unplaced;
  /** The charm that the unit runs now; follows the application's at upgrade. */
  readonly charmUrl: string;
  readonly base: Base;
  /** Captured when the unit was created (placing.md#capture). */
  readonly constraints: Constraints;
  readonly resolved: '' | 'retry-hooks' | 'no-hooks';
  /** Endpoint ('' = all) → port ranges as text: `80/tcp`, `9000-9010/udp`, `icmp`. */
  readonly ports: Readonly<Record<string, readonly string[]>>;
  readonly workloadVersion: string;
  /** True once a deployer has started its agent: before that a removal needs nobody's help. */
  readonly deployed: boolean;
  readonly createdAt: string;
}

/** How a unit is to be placed when its application's requirements are met. */
export interface Unplaced {
  /** As it was asked for; a subordinate goes where its principal is. */
  readonly placement?: Placement;
  /** It may take a machine that never had a unit. */
  readonly reuse?: true;
  /** Why it could not be placed: `machine 5 not found`. */
  readonly problem?: string;
}

export const unit = defineKind<UnitDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  indexes: {
    application: (doc) => doc.application,
    machine: (doc) => doc.machine,
    principal: (doc) => doc.principal,
    charm: (doc) => doc.charmUrl,
    force: isForced,
    /** By application: those that wait for its requirements, or are about to be placed. */
    unplaced: (doc) => (doc.unplaced ? doc.application : undefined),
    /** Those that wait, by the machine that they are to be placed on. */
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
