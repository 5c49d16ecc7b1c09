/**
 * The documents that a controller stores. Everything is readonly: a change is a new document.
 * Counts are derived by query, never stored (design §4). A document's status is elsewhere (`status`), so that a
 * status update never conflicts with a change of the entity.
 */
import type { Base } from './base.ts';
import type { CharmMeta, ConfigOption, Endpoint, ActionSpec } from './charm/metadata.ts';
import type { CloudDoc, CredentialDoc } from './cloud.ts';
import type { Constraints } from './constraints.ts';
import type { HostDoc } from './host.ts';
import type { Life } from './life.ts';
import type { OperationDoc, TaskDoc } from './operation.ts';
import type { Placement } from './placement.ts';
import type { Missing } from './requirements/requirement.ts';
import type { Status, StatusKind } from './status.ts';

export type { CloudDoc, CloudRegion, CredentialDoc } from './cloud.ts';
export type { HostDoc } from './host.ts';
export type { OperationDoc, TaskDoc } from './operation.ts';

export type ConfigValue = string | number | boolean;

/** What every entity that has a life says of its end. Both are written by `transactions/` only. */
export interface Ending {
  /** When its end was asked for, RFC 3339; absent while it is alive. */
  readonly dyingSince?: string;
  /** Somebody asked for it with --force: what is left at the deadline is cleared without its agents. */
  readonly force?: Force;
}
export interface Force {
  /** RFC 3339. The only wait there is, whatever else goes with the entity. */
  readonly deadline: string;
  /** The tag of who asked. */
  readonly by: string;
}

/** Controller space. The controller itself; id `self`. */
export interface ControllerDoc {
  readonly uuid: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  /** The uuid of the model called `controller`. */
  readonly modelUuid: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
}

/** Controller space; id = user name (`admin`). Passwords are scrypt hashes. */
export interface UserDoc {
  readonly name: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly access: 'login' | 'superuser';
  readonly createdAt: string;
  readonly createdBy: string;
  readonly disabled: boolean;
}

/** Controller space; id = `<user> <model uuid>` for models. */
export interface AccessDoc {
  readonly user: string;
  readonly model: string;
  readonly access: 'read' | 'write' | 'admin';
}

/** Controller space; written at login; id as AccessDoc's (model '' = controller). */
export interface LastLoginDoc {
  readonly user: string;
  readonly model: string;
  readonly at: string;
}

/** Controller space; id = uuid. */
export interface ModelDoc extends Ending {
  readonly uuid: string;
  readonly name: string;
  readonly owner: string;
  readonly life: Life;
  readonly cloud: string;
  readonly region: string;
  /** Id of a CredentialDoc, or ''. */
  readonly credential: string;
  /** Only what was set for this model; defaults are merged when read. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly constraints: Constraints;
  readonly createdAt: string;
  /** Instances left running by remove-machine --keep-instance: nobody's strays. */
  readonly keptInstances?: readonly string[];
}

/** Model space; id = application name. */
export interface ApplicationDoc extends Ending {
  readonly name: string;
  readonly life: Life;
  readonly charmUrl: string;
  readonly charmOrigin: Readonly<Record<string, unknown>>;
  readonly base: Base;
  readonly subordinate: boolean;
  readonly constraints: Constraints;
  /** Values that were set; the charm's defaults are merged when read. */
  readonly config: Readonly<Record<string, ConfigValue>>;
  readonly trust: boolean;
  /** Endpoint ('' = all) → who may reach its open ports. Absent = not exposed. */
  readonly exposed?: Readonly<
    Record<string, { readonly cidrs: readonly string[]; readonly spaces: readonly string[] }>
  >;
  readonly endpointBindings: Readonly<Record<string, string>>;
  readonly workloadVersion: string;
  readonly createdAt: string;
  /** Endpoints that are required whatever the charm and the model say: `deploy --require`. */
  readonly require?: readonly string[];
  /** Present while a requirement is not satisfied: units that are not placed wait (core/requirements/settle.ts). */
  readonly pending?: Pending;
}

export interface Pending {
  /** RFC 3339. */
  readonly since: string;
  readonly missing: readonly Missing[];
}

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
  /** Captured when the unit was created (domain-facts §3.3). */
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

/** Model space; id = unit name. What the unit agent must find again after a crash; opaque to the controller. */
export interface UnitStateDoc {
  readonly unit: string;
  /** hookId of the last HookCommit: a repeated one changes nothing. */
  readonly lastHook: string;
  /** The unit agent's own state (core/unit/next-operation.ts LocalState), as JSON. */
  readonly agent: unknown;
  /** state-get/-set. */
  readonly charm: Readonly<Record<string, string>>;
}

export interface Hardware {
  readonly arch?: string;
  readonly cores?: number;
  readonly cpuPower?: number;
  /** MiB. */
  readonly mem?: number;
  /** MiB. */
  readonly rootDisk?: number;
  readonly rootDiskSource?: string;
  readonly tags?: readonly string[];
  readonly availabilityZone?: string;
  readonly virtType?: string;
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

/** Model space; id = instance id: an instance with the model's tags that no machine record claims (issue 4 §7). */
export interface StrayDoc {
  readonly instanceId: string;
  /** The machine that its tag names, '' when there is none. */
  readonly machine: string;
  /** RFC 3339: when it was first seen. */
  readonly since: string;
  /** It is to be stopped, as provisioner-harvest-mode says. */
  readonly stopping?: true;
}

/** Model space; id = relation id as text. */
export interface RelationDoc extends Ending {
  readonly id: number;
  /** Canonical name: `wordpress:db mysql:server`. Unique by index. */
  readonly key: string;
  readonly endpoints: readonly RelationEndpoint[];
  readonly life: Life;
  readonly createdAt: string;
}
export interface RelationEndpoint extends Endpoint {
  readonly application: string;
}

/** Model space; id = `<relation id>#<unit>`: the unit is in the relation's scope. */
export interface ScopeDoc {
  readonly relation: string;
  readonly unit: string;
  readonly application: string;
  readonly role: Endpoint['role'];
  /** For container-scoped relations: the principal unit whose container this is; '' for global ones. */
  readonly container: string;
  /** Its counterparts see it as gone already. */
  readonly departing: boolean;
}

/** Model space; id = `<storage>#<unit>`: the unit uses the storage (domain-facts §1.1, §1.2, §13). */
export interface StorageAttachmentDoc {
  /** `data/0` */
  readonly storage: string;
  readonly unit: string;
  /** The unit's machine, when what is attached is a disk of its own. */
  readonly machine?: string;
  /** It outlives the machine. */
  readonly detachable: boolean;
}

/** Model space; id = the offer's name: endpoints of an application that other models may relate to. */
export interface OfferDoc {
  readonly name: string;
  readonly application: string;
  readonly endpoints: readonly string[];
  /** Ids of the relations that go through it. */
  readonly connections: readonly string[];
}

/** Model space; id = `<relation id>#<unit or application>`: a databag. Stays readable until the relation is gone. */
export interface SettingsDoc {
  readonly relation: string;
  readonly owner: string;
  readonly values: Readonly<Record<string, string>>;
  /** Grows with every change of the values. */
  readonly version: number;
}

/** Model space; id from statusId(). */
export interface StatusDoc extends Status {
  readonly kind: StatusKind;
  readonly entity: string;
}

/** Model space; id = charm URL (`local:mysql-0`). The archive is a blob. */
export interface CharmDoc {
  readonly url: string;
  readonly name: string;
  readonly revision: number;
  readonly sha256: string;
  readonly size: number;
  /** First line of the charm's `version` file. */
  readonly version: string;
  readonly meta: CharmMeta;
  readonly config: Readonly<Record<string, ConfigOption>>;
  readonly actions: Readonly<Record<string, ActionSpec>>;
  readonly bases: readonly Base[];
  /** `lxd-profile.yaml`; deploy without force has refused what a charm may not ask for. */
  readonly lxdProfile?: LxdProfile;
  readonly uploadedAt: string;
}

/** What a charm asks of the LXD instances that its units run on. */
export interface LxdProfile {
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Model space; id = application. A real lease: acknowledged writes by the leader are fenced by it. */
export interface LeaseDoc {
  readonly application: string;
  readonly holder: string;
  readonly expiresAt: string;
}

/** Model space; id = application. leader-set's values. */
export interface LeaderSettingsDoc {
  readonly application: string;
  readonly values: Readonly<Record<string, string>>;
  readonly version: number;
}

/** Model space; id = the entity's tag. */
export interface AnnotationDoc {
  readonly tag: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Any space; id = what is counted, e.g. `unit mysql`, `machine`, `relation`, `charm mysql`. Never goes back. */
export interface SequenceDoc {
  readonly name: string;
  readonly next: number;
}

/** Every kind of document by name: what the store is generic over. */
export interface Entities {
  readonly controller: ControllerDoc;
  readonly user: UserDoc;
  readonly access: AccessDoc;
  readonly 'last-login': LastLoginDoc;
  readonly cloud: CloudDoc;
  readonly credential: CredentialDoc;
  readonly model: ModelDoc;
  readonly application: ApplicationDoc;
  readonly unit: UnitDoc;
  readonly 'unit-state': UnitStateDoc;
  readonly machine: MachineDoc;
  readonly stray: StrayDoc;
  readonly host: HostDoc;
  readonly relation: RelationDoc;
  readonly scope: ScopeDoc;
  readonly 'storage-attachment': StorageAttachmentDoc;
  readonly offer: OfferDoc;
  readonly settings: SettingsDoc;
  readonly status: StatusDoc;
  readonly charm: CharmDoc;
  readonly lease: LeaseDoc;
  readonly 'leader-settings': LeaderSettingsDoc;
  readonly annotation: AnnotationDoc;
  readonly sequence: SequenceDoc;
  readonly task: TaskDoc;
  readonly operation: OperationDoc;
}
export type Kind = keyof Entities;

/** Documents that belong to the controller and not to a model live in this space. */
export const controllerSpace = '';
