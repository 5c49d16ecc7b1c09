import { connect } from 'node:net';
import { describeProvider, type Subject } from './conformance.ts';
import { createLocalProvider } from './local/index.ts';
import { createSimulatedCloud, createSimulatedProvider } from './simulated/index.ts';
import { hostCapabilities, leftovers } from './test-world.ts';

const nothing = { sandbox: false, network: false, cgroups: undefined };
const displayName = (modelUuid: string, machineId: string): string =>
  `juju-${modelUuid.slice(-6)}-${machineId}`;
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
  displayName,
  zoned,
  leftovers,
});
describeProvider({
  name: 'local, processes',
  possible: true,
  fresh: () => createLocalProvider({ probe: () => nothing }),
  displayName,
  zoned,
  sharesAddress: true,
  leftovers,
});
describeProvider({
  name: 'local, sandboxes',
  possible: hostCapabilities().sandbox || 'this host lets nobody make sandboxes',
  fresh: () => createLocalProvider(),
  machines: 4,
  displayName,
  zoned,
  leftovers,
  reach,
});
