/** Options of vitest for suites that compute more than they wait. */
export const inNode = {
  // Node imports the source as it is: transformed imports, which a hot loop reads one by one, took a fifteenth of the
  // processor time. vi.mock is not there; registerHooks of node:module is, as kinds.test.ts has it.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Tests leave much garbage; a larger nursery saves a twentieth of their processor time.
  execArgv: ['--max-semi-space-size=64'],
};
