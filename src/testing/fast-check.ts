/**
 * fast-check with a fixed seed, so that a test says the same of the same code everywhere. `FAST_CHECK_SEED=$RANDOM npx
 * vitest run …` looks at other cases.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1) });

export default fc;
