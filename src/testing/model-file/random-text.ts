/** Random model files as a real controller takes them. */
import { call } from '../../client/calls.ts';
import { toYaml } from '../../kit/yaml/write.ts';
import { createSimulatedProvider, SimulatedCloud } from '../../providers/clouds/simulated/index.ts';
import { testController, type TestController } from '../controller.ts';
import { FileFolder, type FileClient } from './client.ts';
import type { RawFile } from './random-files.ts';

/** The users of random files. */
export async function addRandomUsers(controller: TestController): Promise<void> {
  const connection = await controller.connect();
  const users = ['bob', 'eve', 'new'].map((username) => ({
    username,
    'display-name': '',
    password: 'x-password',
  }));
  await call(connection, 'UserManager', 'AddUser', { users });
  await connection.close();
}

/**
 * Starts a controller whose cloud starts no machine: an application is not bound to a space in which its machines have
 * no address, and they would get one at any moment.
 */
export function controllerWithoutMachines(): Promise<TestController> {
  const cloud = new SimulatedCloud({ refuses: () => 'no machine is started here' });
  return testController(createSimulatedProvider(cloud));
}

/** Adds the space of random files' bindings to the client's model. */
export async function addRandomSpace({ session }: FileClient): Promise<void> {
  const spaces = [{ cidrs: [], 'space-tag': 'space-dmz', public: false }];
  await call(session.connection, 'Spaces', 'CreateSpaces', { spaces });
}

/** The charms of random files. */
export function randomFolder(): FileFolder {
  const folder = new FileFolder();
  folder.charm('mysql', 'provides:\n  db: {interface: mysql}\n');
  folder.charm('wordpress', 'requires:\n  db: {interface: mysql, optional: false}\n');
  folder.charm('web', '');
  for (const charm of ['mysql', 'wordpress', 'web'])
    folder.write(`${charm}/config.yaml`, 'options: {port: {type: int}}\n');
  return folder;
}

/** The file's text; pools have attributes that their provider knows, and no cloud is asked for a zone. */
export function textOf(file: RawFile): string {
  const pools = Object.keys(file['storage-pools']).map((name) => [
    name,
    { provider: 'tmpfs', attributes: { size: '1G' } },
  ]);
  const applications = Object.entries(file.applications).map(([name, { to = [], ...one }]) => [
    name,
    { ...one, to: to.map((place) => (place.startsWith('zone=') ? 'new' : place)) },
  ]);
  const whole = {
    name: 'shop',
    ...file,
    'storage-pools': Object.fromEntries(pools),
    applications: Object.fromEntries(applications),
    // A secret is not made without a content.
    secrets: Object.fromEntries(
      Object.entries(file.secrets).map(([name, one]) => [
        name,
        { ...one, content: { key: { env: 'PASSWORD' } } },
      ]),
    ),
  };
  return toYaml(JSON.parse(JSON.stringify(whole).replaceAll('${', () => '$${')));
}
