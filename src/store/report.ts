/** What takes a store's space. Sizes in bytes. */
export interface StoreReport {
  /** Of the database, with what it keeps for later. */
  readonly bytes: number;
  /** Of that, what is free within it. */
  readonly free: number;
  /** By space ('' = the controller's own) and kind, the largest first. */
  readonly kinds: readonly KindSize[];
  /** The largest documents with their history, the largest first. */
  readonly documents: readonly DocumentSize[];
}

/** Documents that are there, with their long values, and what the history keeps of them and of others. */
export interface Size {
  readonly live: number;
  readonly history: number;
}
export interface KindSize extends Size {
  readonly space: string;
  readonly kind: string;
  /** How many documents there are. */
  readonly count: number;
  /** Rows of the history. */
  readonly changes: number;
}
export interface DocumentSize extends Size {
  readonly space: string;
  readonly kind: string;
  readonly id: string;
}
