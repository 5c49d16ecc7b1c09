import type { ScryptCost } from '../controller/passwords.ts';

/** Cost of password hashes in tests: the recommended one takes a third of a second, and has a test of its own. */
export const passwordCost: ScryptCost = { N: 1024, r: 8, p: 1 };
