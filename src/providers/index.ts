import { local } from './clouds/local/index.ts';
import { lxd } from './clouds/lxd/index.ts';
import { manual } from './clouds/manual/index.ts';
import type { Provider } from './contract/provider.ts';
import { simulated } from './clouds/simulated/index.ts';

/** Built-in providers by the cloud type in clouds.yaml. */
export const providers: ReadonlyMap<string, Provider> = new Map([
  ['local', local],
  ['lxd', lxd],
  ['manual', manual],
  ['simulated', simulated],
]);
