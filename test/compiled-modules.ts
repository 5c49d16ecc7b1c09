/**
 * Setup of each test file: workers and the programs that tests start share a cache of compiled modules, which stays for
 * the next run. A controller that runs from its source spends most of its start on removing types from modules and
 * compiling them.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const folder = join(import.meta.dirname, '../node_modules/.cache/compiled-modules');
enableCompileCache(folder);
process.env['NODE_COMPILE_CACHE'] = folder;
// A worker is killed at the end, and so would write nothing.
afterAll(() => flushCompileCache());
