import type { AttributeSchema, ProviderConfig } from './provider.ts';

/**
 * Disks that outlive instances (provider-rules.md#volumes). They have the same tags as instances; destroyModel takes
 * those of the model.
 */
export interface VolumeSource {
  /** The storage provider's name: `lxd`. */
  readonly type: string;
  /** What a storage pool may say of it. */
  readonly config: AttributeSchema;
  /**
   * Called again with the same id it returns the volume that is there. `size`: MiB, at least. Errors: ProviderError, as
   * instances.start.
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
  /** Every volume of this model. */
  list(signal: AbortSignal): Promise<readonly Volume[]>;
  /** Unknown ones are no error. Errors: '' while one is attached. */
  destroy(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Mounts it at `path` in the instance; repeatable. Errors: JujuError `not found`. */
  attach(
    params: {
      readonly id: string;
      readonly instanceId: string;
      readonly path: string;
      readonly readOnly: boolean;
    },
    signal: AbortSignal,
  ): Promise<void>;
  /** What is not attached, or gone, is no error. */
  detach(params: { readonly id: string; readonly instanceId: string }, signal: AbortSignal): Promise<void>;
}
export interface Volume {
  readonly id: string;
  /** MiB. */
  readonly size: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Instances that have it. */
  readonly attachedTo: readonly string[];
}
