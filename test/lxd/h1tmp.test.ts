/** The provider of LXD against the cases that all providers pass, on real containers. */
import { connect } from 'node:net';
import { describeProvider, type Subject } from '../../src/providers/conformance.ts';
import { createLxdProvider } from '../../src/providers/lxd/index.ts';
const containersOf = async (u: readonly string[]) =>
  (await lxd.query<any[]>('/1.0/instances?recursion=1'))
    .filter((i) => u.includes(i.config['user.juju-model-uuid']))
    .map((i) => i.name);
import { within } from './run.ts';
import { lxdAt } from './server.ts';
const lxd = lxdAt(7, { quick: true });

/** From the host, which is outside of the model. An instance has an address some seconds after it was started. */
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
    const socket = connect({ host, port, timeout: 700 });
    const end = (answer: 'through' | 'held') => (): void => {
      socket.destroy();
      resolve(answer);
    };
    // Nobody listens: who says so is the machine itself.
    socket.on('error', end('through')).on('connect', end('through')).on('timeout', end('held'));
  });
}

const none = { http: '', https: '', ftp: '', no: '' };

import { systemClock } from '../../src/kit/clock.ts';
const __p = createLxdProvider();
const __cloud = await __p.cloudForController!(
  { name: 'x', type: 'lxd', region: '', endpoint: lxd.socket, config: {} },
  { controllerUuid: 'h1', clock: systemClock, signal: new AbortController().signal },
);
const __other = await (
  await import('../../src/providers/lxd/certificates.ts')
).createClientCertificate({ name: 'o', now: Date.now() });
describeProvider({
  refused: {
    authType: 'certificate',
    attributes: {
      ...__cloud.credential!.attributes,
      'client-cert': __other.certificate,
      'client-key': __other.key,
    },
  },
  name: 'lxd',
  possible: true,
  fresh: () => createLxdProvider(),
  process: { module: import.meta.resolve('../../src/providers/lxd/index.ts'), name: 'createLxdProvider' },
  open: { cloud: __cloud },
  start: () => ({
    base: { name: 'debian', channel: '12/stable' },
    boot: {
      authorizedKeys: [],
      proxies: none,
      aptProxies: none,
      aptMirror: '',
      refresh: false,
      upgrade: false,
      custom: {},
      // Nobody is there: the machines try it all the time that they have.
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
