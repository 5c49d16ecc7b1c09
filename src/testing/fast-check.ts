/**
 * fast-check with a fixed seed, so that tests are reproducible. `FAST_CHECK_SEED=$RANDOM npm run test:properties`
 * tries other cases.
 */
import fc from 'fast-check';
import { isThorough } from './thorough.ts';

/** Returns the number of cases of a property: all of them in `npm run test:properties`, at most 10 in `npm test`. */
export const runs = (all: number): number => (isThorough ? all : Math.min(all, 10));

const usualSeed = 1;
const seed = Number(process.env['FAST_CHECK_SEED'] ?? usualSeed);
/** Whether the cases are those of every run, so that a test may assert what they reach. */
export const isUsualSeed = seed === usualSeed;

fc.configureGlobal({ seed, numRuns: runs(100) });

export default fc;
