import type { Base } from '../../core/base.ts';

/** Root file systems on the controller's host, one per base. */
export interface ImageRegistry {
  list(): Promise<readonly LocalImage[]>;
  /**
   * Registers a root file system from an archive (tar, also compressed), or builds it with mmdebstrap when no archive
   * is given. Atomic; replaces the registered one for machines started later. Errors: JujuError `not valid`, `not
   * supported`.
   */
  add(
    params: { base: Base; archive?: string; progress: (message: string) => void },
    signal: AbortSignal,
  ): Promise<LocalImage>;
  /** Removes an image. Errors: `not found`; '' while machines run on it. */
  remove(base: Base): Promise<void>;
}
export interface LocalImage {
  readonly base: Base;
  readonly arch: string;
  /** Size on disk in bytes. */
  readonly size: number;
  /** Time of registration, RFC 3339. */
  readonly addedAt: string;
}
