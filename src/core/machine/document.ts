import type { Base } from '../base.ts';
import type { Constraints } from '../constraints.ts';
import { defineKind } from '../kind.ts';
import { type Ending, isForced, type Life } from '../life.ts';
import { limits } from '../limits.ts';
import type { Placement } from '../placement.ts';
import { ofModel } from '../quota.ts';
import type { Hardware } from './hardware.ts';
import { describeMachine } from './history.ts';

/** Model space; id = machine id. */
export interface MachineDoc extends Ending {
  readonly id: string;
  readonly life: Life;
  readonly base: Base;
  readonly constraints: Constraints;
  readonly placement?: Placement;
  /** For containers: the host machine's id. */
  readonly parent?: string;
  readonly containerType?: string;
  /** Made before the provider is called; ties the instance to this record (the durable intent). */
  readonly nonce?: string;
  /** The zone chosen for its start, written with the nonce; then the one that it is in. */
  readonly zone?: string;
  /** Where its starts failed for a reason of the zone; emptied when each was tried. */
  readonly failedZones?: readonly string[];
  /** Hash of the agent's password; written together with the nonce. */
  readonly passwordHash?: string;
  /** The agent has replaced the first password by one of its own. */
  readonly ownPassword?: true;
  readonly instance?: {
    readonly id: string;
    readonly displayName: string;
    readonly hardware: Hardware;
    /** What isolates a local machine, for status; '' elsewhere. */
    readonly isolation: string;
    /** What it really runs on, where that is not the machine's base. */
    readonly base?: Base;
    /** True for instances that no provider started (the controller's own host, manual machines). */
    readonly unmanaged?: boolean;
  };
  readonly addresses: readonly Address[];
  readonly hostname: string;
  /** Removed together with its last unit? Default: those that a unit caused to be made. */
  readonly removeWhenEmpty: boolean;
  /** Made by add-machine and never yet given a unit: the next deploy without placement may take it. */
  readonly clean: boolean;
  readonly keepInstance: boolean;
  /** Runs the controller. */
  readonly isController: boolean;
  readonly createdAt: string;
}

export interface Address {
  readonly value: string;
  readonly type: 'ipv4' | 'ipv6' | 'hostname';
  readonly scope: 'public' | 'local-cloud' | 'local-machine';
  readonly cidr?: string;
  readonly interfaceName?: string;
  readonly macAddress?: string;
  /** Only the machine's agent saw it: the provider's silence says nothing about it. */
  readonly origin?: 'machine';
}

export const machine = defineKind<MachineDoc>()({
  space: 'model',
  idOf: ({ id }) => id,
  indexes: {
    parent: (doc) => doc.parent,
    life: (doc) => doc.life,
    clean: (doc) => (doc.clean ? 'clean' : undefined),
    force: isForced,
    /** What the provisioner has to look at. */
    unprovisioned: (doc) => (doc.instance ? undefined : 'unprovisioned'),
  },
  findRemovedBy: ['parent'],
  quota: { counts: [{ limit: limits.machines, ...ofModel }] },
  upkeep: 'old',
  describe: describeMachine,
});
