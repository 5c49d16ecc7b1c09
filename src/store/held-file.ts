/** A file of a store that stays as it is until it is released, while the store goes on: it may be copied. */
export interface HeldFile {
  readonly path: string;
  release(): void;
}
