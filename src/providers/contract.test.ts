import { connect } from 'node:net';
import { describeProvider, type Subject } from './conformance.ts';
import { createLocalProvider } from './local/index.ts';
import { createSimulatedCloud, createSimulatedProvider } from './simulated/index.ts';
import { createPlainProvider } from './test-plain.ts';
import { hostCapabilities, leftovers } from '../testing/provider-world.ts';

const displayName = (modelUuid: string, machineId: string): string =>
  `juju-${modelUuid.slice(-6)}-${machineId}`;
/** Where a process of its own finds a provider. */
const from = (folder: string, name: string) => ({
  module: new URL(`./${folder}`, import.meta.url).href,
  name,
});
const zoned = { zones: 'alpha,beta' };

/** From the host: to a machine's firewall it is as far away as anybody. */
const reach: Subject['reach'] = ({ addresses: [address] }, port) =>
  new Promise((resolve) => {
    const socket = connect({ host: address!.value, port, timeout: 700 });
    const end = (answer: 'through' | 'held') => (): void => {
      socket.destroy();
      resolve(answer);
    };
    // Nobody listens: who says so is the machine itself.
    socket.on('error', end('through')).on('connect', end('through')).on('timeout', end('held'));
  });

describeProvider({
  name: 'simulated',
  possible: true,
  fresh: () => createSimulatedProvider(createSimulatedCloud()),
  process: from('simulated/index.ts', 'simulated'),
  runsNothing: true,
  displayName,
  zoned,
  leftovers,
});
describeProvider({
  name: 'local, processes',
  possible: true,
  fresh: createPlainProvider,
  process: from('test-plain.ts', 'createPlainProvider'),
  displayName,
  zoned,
  sharesAddress: true,
  leftovers,
});
describeProvider({
  name: 'local, sandboxes',
  possible: hostCapabilities().sandbox || 'this host lets nobody make sandboxes',
  fresh: () => createLocalProvider(),
  process: from('local/index.ts', 'local'),
  machines: 4,
  displayName,
  zoned,
  leftovers,
  reach,
});
