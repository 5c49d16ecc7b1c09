import type { Base } from '../../core/base.ts';

/** One root file system for each base, on the controller's host. */
export interface ImageRegistry {
  list(): Promise<readonly LocalImage[]>;
  /**
   * From an archive of a root file system (tar, also compressed), or made by mmdebstrap when none is given. Whole or
   * not at all; replaces what was registered, for machines started later. Errors: JujuError `not valid`, `not
   * supported`.
   */
  add(
    params: { base: Base; archive?: string; progress: (message: string) => void },
    signal: AbortSignal,
  ): Promise<LocalImage>;
  /** Errors: `not found`, '' while machines run on it. */
  remove(base: Base): Promise<void>;
}
export interface LocalImage {
  readonly base: Base;
  readonly arch: string;
  /** Bytes on disk. */
  readonly size: number;
  /** RFC 3339. */
  readonly addedAt: string;
}
