import type { AttributeSchema, ProviderConfig } from './provider.ts';

/** Folder of a machine in which the cloud's volumes are seen. */
export const volumesAt = '/var/lib/juju/storage/volumes';

/**
 * Disks that outlive instances (provider-rules.md#volumes). Volumes have the same tags as instances; destroyModel
 * removes the model's volumes.
 */
export interface VolumeSource {
  /** Name of the storage provider: `lxd`. */
  readonly type: string;
  /** Settings that a storage pool may have. */
  readonly config: AttributeSchema;
  /**
   * Checks the settings of a pool that a user names against the cloud. Absent = any settings are valid. Errors:
   * JujuError `not valid`, `not found`; ProviderError.
   */
  readonly checkPool?: (attributes: ProviderConfig) => Promise<void>;
  /** Pools that each model has from its beginning. Absent = only the pool with the provider's own name. */
  readonly defaultPools?: (signal: AbortSignal) => Promise<
    readonly {
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
    }[]
  >;
  /**
   * Creates a volume; a repeated call with the same id returns the existing one. `size`: minimum in MiB. Errors:
   * ProviderError, as instances.start.
   */
  create(
    params: {
      readonly id: string;
      readonly size: number;
      readonly config: ProviderConfig;
      readonly tags: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ): Promise<Volume>;
  /** Lists every volume of this model. */
  list(signal: AbortSignal): Promise<readonly Volume[]>;
  /** Deletes volumes; unknown ids are ignored. Errors: '' while a volume is attached. */
  destroy(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Shows the volume at `path` in the instance, a folder of its own in `volumesAt`; idempotent. Errors: JujuError `not
   * found`.
   */
  attach(
    params: {
      readonly id: string;
      readonly instanceId: string;
      readonly path: string;
      readonly readOnly: boolean;
    },
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * Leaves the volumes' data in the cloud without the model: its end does not destroy them. Unknown ids are ignored.
   * Absent = the cloud cannot release volumes.
   */
  readonly release?: (ids: readonly string[], signal: AbortSignal) => Promise<void>;
  /**
   * Takes a volume of the cloud that belongs to no model, under a new id; a repeated call with the same id returns the
   * volume. Absent = the cloud cannot adopt volumes. Errors: JujuError `not found`; '' while something else has it.
   */
  readonly adopt?: (
    params: {
      readonly id: string;
      /** Id by which the cloud's users know the volume. */
      readonly providerId: string;
      readonly tags: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ) => Promise<Volume>;
  /** Detaches the volume; a volume that is not attached, or is gone, is no error. */
  detach(params: { readonly id: string; readonly instanceId: string }, signal: AbortSignal): Promise<void>;
}
export interface Volume {
  readonly id: string;
  /** Size in MiB. */
  readonly size: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Ids of the instances that the volume is attached to. */
  readonly attachedTo: readonly string[];
  /** Text that tells the volume's users how it falls short of the requested size; absent = it does not. */
  readonly lack?: string;
}
