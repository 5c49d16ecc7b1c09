/** Use of a store's space, with sizes in bytes. */
export interface StoreReport {
  /** Size of the database, including what it reserves. */
  readonly bytes: number;
  /** Part of `bytes` that is free within the database. */
  readonly free: number;
  /** Sizes by space ('' = the controller's own) and kind, the largest first. */
  readonly kinds: readonly KindSize[];
  /** The largest documents with their history, the largest first. */
  readonly documents: readonly DocumentSize[];
}

/** Size of existing documents with their long values, and of the history of these and of removed ones. */
interface Size {
  readonly live: number;
  readonly history: number;
}
export interface KindSize extends Size {
  readonly space: string;
  readonly kind: string;
  /** Number of existing documents. */
  readonly count: number;
  /** Number of history rows. */
  readonly changes: number;
}
export interface DocumentSize extends Size {
  readonly space: string;
  readonly kind: string;
  readonly id: string;
}
