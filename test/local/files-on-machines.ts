/**
 * Test files beside the code that start so many real machines or controllers that they run in `npm run test:local`;
 * `npm test`, which has two minutes, leaves them out.
 */
export const filesOnMachines = [
  'examples/provider/provider.test.ts',
  'src/cli/bootstrap.test.ts',
  'src/cli/bootstrap/on-instance.test.ts',
  'src/cli/kill-by-hand.test.ts',
  'src/main/controller/run.test.ts',
  'src/providers/conformance/conformance.test.ts',
  'src/providers/clouds/local/bases.test.ts',
  'src/providers/clouds/local/contract.test.ts',
  'src/providers/clouds/local/images.test.ts',
  'src/providers/clouds/local/nested.test.ts',
  'src/providers/clouds/local/sandbox.test.ts',
  'src/providers/clouds/local/systemd.test.ts',
  'src/providers/toolkit/user-data/supervisor.test.ts',
  'src/testing/agents.test.ts',
];
