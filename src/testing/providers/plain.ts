/** The local provider as on a host that permits no isolation. */
import { createLocalProvider } from '../../providers/clouds/local/index.ts';
import type { Provider } from '../../providers/contract/provider.ts';

export function createPlainProvider(): Provider {
  return createLocalProvider({
    probe: () => ({ sandbox: false, network: false, cgroups: undefined, loops: false }),
  });
}
