/**
 * Setup of each test file: programs that tests start share a cache of compiled modules in the folder that the global
 * setup has made. The worker itself has none, which it would write when it ends, while that folder is removed.
 */
const folder = process.env['GRIGRI_COMPILED_MODULES'];
if (folder !== undefined) process.env['NODE_COMPILE_CACHE'] = folder;
