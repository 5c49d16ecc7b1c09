/** The LXD provider against the cases that all providers must pass, on real containers. */
import { connect } from 'node:net';
import { describeProvider, type Subject } from '../../src/providers/conformance/index.ts';
import { createLxdProvider } from '../../src/providers/clouds/lxd/index.ts';
import type { Provider } from '../../src/providers/contract/provider.ts';
import { containersOf } from './places.ts';
import { within } from './run.ts';
import { lxd } from './server.ts';

/** Connects from the host, which is outside of the model. An instance has an address some seconds after its start. */
const reach: Subject['reach'] = async (instance, port, environ) => {
  let host: string | undefined;
  await within(60_000, async () => {
    const [now] = await environ.instances.get([instance.id], new AbortController().signal);
    return (host = now?.addresses[0]?.value) !== undefined;
  });
  if (host === undefined) throw new Error(`${instance.id} gets no address`);
  return await knock(host, port);
};

function knock(host: string, port: number): Promise<'through' | 'held'> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3000 });
    const end = (answer: 'through' | 'held') => (): void => {
      socket.destroy();
      resolve(answer);
    };
    // A refusal comes from the machine itself when nothing listens.
    socket.on('error', end('through')).on('connect', end('through')).on('timeout', end('held'));
  });
}

/** Networks are tried in spaces.test.ts, which makes and removes one meanwhile. */
function withoutNetworks(): Provider {
  const provider = createLxdProvider();
  return {
    ...provider,
    open(params) {
      const { networks: _, ...environ } = provider.open(params);
      return environ;
    },
  };
}

const none = { http: '', https: '', ftp: '', no: '' };

describeProvider({
  name: 'lxd',
  possible: true,
  fresh: withoutNetworks,
  process: {
    module: import.meta.resolve('../../src/providers/clouds/lxd/index.ts'),
    name: 'createLxdProvider',
  },
  open: { cloud: { endpoint: lxd.socket } },
  start: () => ({
    base: { name: 'debian', channel: '12/stable' },
    boot: {
      authorizedKeys: [],
      proxies: none,
      aptProxies: none,
      snapProxies: none,
      aptMirror: '',
      refresh: false,
      upgrade: false,
      custom: {},
      // The server does not answer the download, which the machines repeat for their whole life.
      download: {
        addresses: [`${lxd.bridgeAddress}:9`],
        caCert: '',
        path: '/model/none/tools/3.6.0-ubuntu-',
        bundle: () => Promise.resolve({ sha256: '0'.repeat(64), size: 1 }),
      },
    },
  }),
  displayName: (modelUuid, machineId) => `juju-${modelUuid.slice(-6)}-${machineId}`,
  timeoutMs: 3 * 60_000,
  reach,
  async discard(volumeId) {
    const [pool = '', name = ''] = volumeId.split(':');
    return (await lxd.attempt('storage', 'volume', 'delete', pool, name)).code === 0;
  },
  async leftovers({ after, modelUuids }) {
    const instances = await containersOf(modelUuids);
    if (after === 'instances') return instances;
    const profiles =
      await lxd.query<{ name: string; config: Record<string, string> }[]>('/1.0/profiles?recursion=1');
    const volumes = await lxd.query<{ name: string; type: string; config: Record<string, string> }[]>(
      '/1.0/storage-pools/default/volumes/custom?recursion=1',
    );
    const ours = [...profiles, ...volumes].filter(
      (one) =>
        modelUuids.includes(one.config['user.juju-model-uuid'] ?? '') ||
        modelUuids.some((uuid) => one.name.includes(uuid.slice(-6))),
    );
    return [...instances, ...ours.map((one) => one.name)];
  },
});
