import type { AgentBundles } from '../controller/agent-bundles.ts';

/** Agent bundles for worlds in which no machine downloads anything: an archive with a checksum and no file. */
export const noBundles: AgentBundles = {
  archs: ['amd64'],
  hasBuild: () => false,
  absence: (arch) => (arch === 'amd64' ? undefined : `there is no agent for ${arch}`),
  file: () => Promise.resolve({ path: '/nowhere', sha256: '0'.repeat(64), size: 0 }),
};
