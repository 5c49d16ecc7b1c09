import { describeProvider } from './conformance/index.ts';
import { SimulatedCloud, createSimulatedProvider } from './clouds/simulated/index.ts';
import { createPlainProvider } from '../testing/providers/plain.ts';
import { leftovers } from '../testing/provider-world.ts';
import { isThorough } from '../testing/thorough.ts';

const displayName = (modelUuid: string, machineId: string): string =>
  `juju-${modelUuid.slice(-6)}-${machineId}`;
/** Returns the module URL and export name by which another process loads a provider. */
const from = (file: string, name: string) => ({
  module: new URL(file, import.meta.url).href,
  name,
});
const zoned = { zones: 'alpha,beta' };

describeProvider({
  name: 'simulated',
  possible: true,
  fresh: () => createSimulatedProvider(new SimulatedCloud({ networks: ['172.20.0.0/16', '172.21.0.0/16'] })),
  process: from('./clouds/simulated/index.ts', 'simulated'),
  runsNothing: true,
  displayName,
  releasedAs: (modelUuid, id) => `${modelUuid}-${id}`,
  zoned,
  isBrief: !isThorough,
  leftovers,
});
describeProvider({
  name: 'local, processes',
  possible: true,
  fresh: createPlainProvider,
  refusesToMove: true,
  process: from('../testing/providers/plain.ts', 'createPlainProvider'),
  displayName,
  releasedAs: (modelUuid, id) => `${modelUuid}-${id}`,
  zoned,
  sharesAddress: true,
  isBrief: !isThorough,
  leftovers,
});
