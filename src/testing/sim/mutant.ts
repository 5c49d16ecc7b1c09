import type { About } from './script-for.ts';
import type { Step } from './script.ts';

/** Change of the product's code that makes it wrong. */
export interface Bug {
  readonly name: string;
  /** Path of the file from src/. */
  readonly file: string;
  /** Text to replace, which occurs once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** Bug that is inserted into the product's code, and the worlds in which it shows. */
export interface Mutant extends Bug {
  /** Subject of the worlds in which the bug shows; default: everything. */
  readonly about?: About;
  /** Hours of a script in which the bug shows; hunt-mutants.ts has the default. */
  readonly hours?: number;
  /** Steps to run instead of a seed's own script, for bugs that random scripts show too seldom. */
  readonly steps?: readonly Step[];
}
