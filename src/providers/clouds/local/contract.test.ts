import { connect } from 'node:net';
import { hostCapabilities, leftovers } from '../../../testing/provider-world.ts';
import { describeProvider, type Subject } from '../../conformance/index.ts';
import { createLocalProvider } from './index.ts';

/** Connects from the host: the machine's firewall treats the host like any outside address. */
const reach: Subject['reach'] = ({ addresses: [address] }, port) =>
  new Promise((resolve) => {
    const socket = connect({ host: address!.value, port, timeout: 3000 });
    const end = (answer: 'through' | 'held') => (): void => {
      socket.destroy();
      resolve(answer);
    };
    // Refused connections come from the machine itself, because nothing listens there; the firewall let it through.
    socket.on('error', end('through')).on('connect', end('through')).on('timeout', end('held'));
  });

describeProvider({
  name: 'local, sandboxes',
  possible: hostCapabilities().sandbox || 'this host lets nobody make sandboxes',
  fresh: () => createLocalProvider(),
  process: { module: new URL('./index.ts', import.meta.url).href, name: 'local' },
  machines: 4,
  displayName: (modelUuid, machineId) => `juju-${modelUuid.slice(-6)}-${machineId}`,
  releasedAs: (modelUuid, id) => `${modelUuid}-${id}`,
  zoned: { zones: 'alpha,beta' },
  leftovers,
  reach,
});
