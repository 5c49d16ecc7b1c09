import type { access } from '../access/document.ts';
import type { CredentialDoc } from '../credential/document.ts';
import type { HostDoc } from '../host/document.ts';
import { defineKind, type DocOf } from '../kind.ts';
import type { ModelDoc } from '../model/document.ts';
import type { offerAccess } from '../offer-access/document.ts';

interface Consumer {
  readonly user: string;
  /** UUID of the offer, and its name. */
  readonly offer: string;
  readonly name: string;
}

/**
 * A model that another controller migrates to this one (migration.md#arrival). Controller space; id = the model's uuid.
 * The model's own record is in here until the activation: before that nobody finds the model.
 */
export interface ArrivalDoc {
  readonly model: string;
  /** Id of the migration in the controller that it comes from: `<model uuid>:<attempt>`. */
  readonly migration: string;
  /** UUID of the controller that the model comes from. */
  readonly from: string;
  /**
   * `arriving`: its documents are copied, and it may still be given up; `adopting`: it is this controller's, which
   * takes over its machines; `here`: everything is done; `destroyed`: so it was, and the other controller is told so.
   */
  readonly state: 'arriving' | 'adopting' | 'here' | 'destroyed';
  /** Text by which the cloud finds the model's resources (Environ.migration). */
  readonly ticket: string;
  /** Number of the model's machines with an instance, as it came. */
  readonly machines: number;
  /** Time of the last sign of the other controller, or at which the model was destroyed, RFC 3339. */
  readonly at: string;
  /** What becomes the model's at the activation; absent afterwards. */
  readonly parts?: {
    readonly model: ModelDoc;
    readonly access: readonly DocOf<typeof access>[];
    /** Credential of the model; its attributes are sealed. */
    readonly credential?: CredentialDoc;
    readonly offerAccess?: readonly DocOf<typeof offerAccess>[];
    /** Users in whose names relations were made by offers, which have to stay up. */
    readonly consumers?: readonly Consumer[];
    /** Hosts of machines that were removed before. */
    readonly goneHosts?: readonly HostDoc[];
  };
  /** Why the machines are not taken over yet. */
  readonly problem?: string;
}

export const arrival = defineKind<ArrivalDoc>()({
  space: 'controller',
  idOf: ({ model }) => model,
  indexes: { state: ({ state }) => state },
});
