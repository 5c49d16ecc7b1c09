import type { Step } from './script.ts';

/** A bug that is put into the product. */
export interface Mutant {
  readonly name: string;
  /** From src/. */
  readonly file: string;
  /** Stands there once. */
  readonly find: string;
  readonly replace: string;
  /** Hours of a script in which it shows; a default is in hunt-mutants.ts. */
  readonly hours?: number;
  /** Instead of a seed's own script: for what chance brings about too seldom. */
  readonly steps?: readonly Step[];
}
