/** The firewall of an instance across restarts of the instance. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { silentLog } from '../../src/kit/log.ts';
import { createLxdProvider } from '../../src/providers/clouds/lxd/index.ts';
import { firstRules, type Environ, type PortRule } from '../../src/providers/contract/provider.ts';
import { patienceMs, reaches } from './places.ts';
import { within } from './run.ts';
import { lxd } from './server.ts';

const never = new AbortController().signal;
const port = 8080;
const rule: PortRule = { fromPort: port, toPort: port, protocol: 'tcp', sourceCidrs: [] };

let environ: Environ;
let id: string;

beforeAll(async () => {
  environ = createLxdProvider().open({
    cloud: { name: 'lxd', type: 'lxd', region: 'default', endpoint: lxd.socket, config: {} },
    config: {},
    controllerUuid: randomUUID(),
    modelUuid: randomUUID(),
    modelName: 'firewall',
    stateDir: lxd.folder,
    clock: systemClock,
    log: silentLog,
  });
  const { instance } = await environ.instances.start(
    {
      machineId: '0',
      nonce: 'machine-0:nonce',
      base: { name: 'debian', channel: '12/stable' },
      constraints: {},
      tags: {},
      agent: { toolsDir: '/nowhere', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' },
      progress: () => undefined,
    },
    never,
  );
  id = instance.id;
  // The service starts with the instance, so that there is a server as soon as it can be reached.
  const unit = `[Service]\nExecStart=/usr/bin/python3 -m http.server ${port}\n[Install]\nWantedBy=multi-user.target\n`;
  await lxd.lxc('exec', id, '--', 'sh', '-c', `printf '${unit}' >/etc/systemd/system/web.service`);
  // systemd in the instance takes a moment until it accepts requests.
  const enable = ['exec', id, '--', 'systemctl', 'enable', '--now', 'web'];
  expect(await within(patienceMs, async () => (await lxd.attempt(...enable)).code === 0)).toBe(true);
});
afterAll(() => environ?.destroyModel(never));

/** Sets the rules of the instance, beside that of SSH. */
const set = async (...rules: PortRule[]): Promise<void> => {
  if (environ.firewall.mode !== 'instance') throw new Error('no firewall');
  await environ.firewall.set(id, [...firstRules, ...rules], never);
};
/** Whether the port can be reached once the server is up; an answer by ssh shows that the machine has started. */
const reached = async (): Promise<boolean> => {
  let host = '';
  await within(patienceMs, async () => {
    host = (await environ.instances.get([id], never))[0]?.addresses[0]?.value ?? '';
    return host !== '' && (await reaches(host, 22));
  });
  await within(patienceMs, async () => {
    const { code } = await lxd.attempt(
      'exec',
      id,
      '--',
      'python3',
      '-c',
      `import socket; socket.create_connection(("127.0.0.1", ${port}), 1)`,
    );
    return code === 0;
  });
  return await reaches(host, port);
};
const untilReached = async (): Promise<void> => expect(await within(patienceMs, reached)).toBe(true);

test('ports are closed at first, open after a change and after a restart, and closed after another change', async () => {
  expect(await reached()).toBe(false);
  await set(rule);
  await untilReached();
  await lxd.lxc('restart', id);
  await untilReached();
  await set();
  await lxd.lxc('restart', id);
  expect(await reached()).toBe(false);
});

test('a change while the instance is stopped applies when it starts', async () => {
  await lxd.lxc('stop', '--force', id);
  await set(rule);
  await lxd.lxc('start', id);
  await untilReached();
});

test('rules that nft refuses leave the previous ones in place', async () => {
  await expect(set({ ...rule, sourceCidrs: ['999.0.0.1/8'] })).rejects.toMatchObject({
    name: 'ProviderError',
  });
  const odd = { ...rule, sourceCidrs: ['192.0.2.1/99'] };
  await expect(set(odd)).rejects.toMatchObject({
    message: expect.stringContaining('cannot set the open ports'),
  });
  await lxd.lxc('restart', id);
  await untilReached();
});
