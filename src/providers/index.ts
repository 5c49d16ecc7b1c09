import { local } from './local/index.ts';
import { lxd } from './lxd/index.ts';
import { manual } from './manual/index.ts';
import type { Provider } from './provider.ts';
import { simulated } from './simulated/index.ts';

/** Every provider that a controller knows, by the type that clouds.yaml names. */
export const providers: ReadonlyMap<string, Provider> = new Map([
  ['local', local],
  ['lxd', lxd],
  ['manual', manual],
  ['simulated', simulated],
]);
