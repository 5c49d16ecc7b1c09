/**
 * fast-check with a fixed seed, so that a test says the same of the same code everywhere. `FAST_CHECK_SEED=$RANDOM
 * npm run test:properties` looks at other cases.
 */
import fc from 'fast-check';
import { isThorough } from './thorough.ts';

/** How many cases a property is tried with: all of them by `npm run test:properties`, a few by `npm test`. */
export const runs = (all: number): number => (isThorough ? all : Math.min(all, 25));

fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1), numRuns: runs(100) });

export default fc;
