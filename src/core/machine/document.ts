import type { Base } from '../base.ts';
import type { Constraints } from '../constraints.ts';
import { defineKind } from '../kind.ts';
import { type Ending, isForced, type Life } from '../life.ts';
import { limits } from '../limits.ts';
import type { Made } from '../model-file/ownership.ts';
import type { Placement } from '../placement.ts';
import { ofModel } from '../quota.ts';
import type { Hardware } from './hardware.ts';
import { describeMachine } from './history.ts';
import { programChange } from './program.ts';

/** A machine. Model space; id = machine id. */
export interface MachineDoc extends Ending, Made {
  readonly id: string;
  readonly life: Life;
  readonly base: Base;
  readonly constraints: Constraints;
  readonly placement?: Placement;
  /** The host machine's id, for containers. */
  readonly parent?: string;
  readonly containerType?: string;
  /** The nonce made before the provider is called; ties the instance to this record (the durable intent). */
  readonly nonce?: string;
  /** Nonces of the attempts that the machine gave up, oldest first; instances that have them are stopped. */
  readonly givenUp?: readonly string[];
  /** The zone chosen for the start, written with the nonce; later the zone of the instance. */
  readonly zone?: string;
  /** Zones in which starts failed because of the zone; emptied when each has been tried. */
  readonly failedZones?: readonly string[];
  /** Hash of the agent's password, written together with the nonce. */
  readonly passwordHash?: string;
  /** Whether the agent has replaced its first password by one of its own. */
  readonly ownPassword?: true;
  readonly instance?: {
    readonly id: string;
    readonly displayName: string;
    readonly hardware: Hardware;
    /** The isolation of a local machine, for status; '' elsewhere. */
    readonly isolation: string;
    /** The base that the instance really runs, where it differs from the machine's. */
    readonly base?: Base;
    /** Whether no provider started the instance (the controller's own host, manual machines). */
    readonly unmanaged?: boolean;
    /** Names of the charm profiles that the instance is known to have, where the cloud has profiles. */
    readonly profiles?: readonly string[];
  };
  readonly addresses: readonly Address[];
  readonly hostname: string;
  /** Public keys of the machine's ssh server, as its agent reported them. */
  readonly hostKeys?: readonly string[];
  /** Whether the machine is removed with its last unit; by default true for machines that were made for a unit. */
  readonly removeWhenEmpty: boolean;
  /** Whether add-machine made the machine and no unit was on it yet: the next deploy without placement may use it. */
  readonly clean: boolean;
  readonly keepInstance: boolean;
  /** Program of the machine's agent, as it reports it; absent = one that cannot be replaced, or none yet. */
  readonly program?: {
    readonly build: string;
    /** Program that did not come up. */
    readonly failed?: { readonly build: string; readonly attempt: number; readonly message: string };
  };
  /** Program that the agent was asked to take, by the number of the request. */
  readonly programWanted?: { readonly build: string; readonly attempt: number };
  /** Units with files on the machine that a restored model does not know, until an operator accepts the restore. */
  readonly unknownUnits?: readonly string[];
  /** Units of a restored model that have ended on the machine since the backup, until the restore is accepted. */
  readonly endedUnits?: readonly string[];
  /** Whether the machine runs the controller. */
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
  /** Set when only the machine's agent reported the address, so that its absence at the provider does not remove it. */
  readonly origin?: 'machine';
}

export const machine = defineKind<MachineDoc>()({
  space: 'model',
  idOf: ({ id }) => id,
  indexes: {
    parent: (doc) => doc.parent,
    container: (doc) => (doc.parent === undefined ? undefined : 'container'),
    life: (doc) => doc.life,
    clean: (doc) => (doc.clean ? 'clean' : undefined),
    force: isForced,
    build: (doc) => doc.program?.build,
    programChange,
    /** Machines that the provisioner has to look at. */
    unprovisioned: (doc) => (doc.instance ? undefined : 'unprovisioned'),
  },
  findRemovedBy: ['parent'],
  quota: { counts: [{ limit: limits.machines, ...ofModel }] },
  upkeep: 'old',
  describe: describeMachine,
});
