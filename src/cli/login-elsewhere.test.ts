/** Logins to controllers at addresses that the client does not know. */
import { X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { knowController, testCli, type TestCli } from '../testing/cli.ts';
import { testController, type TestController } from '../testing/controller.ts';
import { makeTestCa } from '../testing/test-ca.ts';
import { withPort } from './users/new-controller.ts';

let controller: TestController;
let cli: TestCli;
beforeAll(async () => {
  controller = await testController();
});
afterAll(() => controller[Symbol.asyncDispose]());
beforeEach(() => {
  cli = testCli();
});
afterEach(() => cli[Symbol.dispose]());

/**
 * Runs a command and returns its output and exit code, with the address and the fingerprint of the controller by name.
 */
async function run(line: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await cli.run(line.replaceAll('ADDRESS', controller.address), { input });
  const shown = stderr
    .replaceAll(controller.address, 'ADDRESS')
    .replaceAll(new X509Certificate(controller.caCert).fingerprint256, 'FINGERPRINT');
  return `${stdout}${shown}exit code ${code}`;
}
const presented =
  'Controller "ADDRESS" presented a CA cert that could not be verified.\nCA fingerprint: [FINGERPRINT]\n';
const asked = `${presented}Trust remote controller? (y/N): `;
const password = 'test-password';

test('login shows the fingerprint of a new controller, asks for trust, user and password, and keeps the controller', async () => {
  expect(await run('login ADDRESS -c far', `y\nadmin\n${password}\n`)).toBe(
    `${asked}Enter username: please enter password for admin on ADDRESS: Welcome, admin. You are now logged into "far".\n\nCurrent model set to "admin/controller".\nexit code 0`,
  );
  const { far } = await cli.store.controllers();
  expect(far).toMatchObject({
    'ca-cert': controller.caCert,
    cloud: 'test',
    region: 'default',
    type: 'simulated',
    'agent-version': '3.6.28',
  });
  expect(far!['api-endpoints']).toContain(controller.address);
  expect(await cli.store.account('far')).toEqual({ user: 'admin', 'last-known-access': 'superuser' });
  const shown = (await cli.run('show-controller')).stdout;
  expect(shown).toContain(new X509Certificate(controller.caCert).fingerprint256);
  expect(await run('whoami')).toContain('exit code 0');
  expect(await run('login far')).toContain('Welcome, admin.');
  expect(await run('login ADDRESS -c other')).toBe(
    `ERROR cannot log into "ADDRESS": This controller has already been registered on this client as "far".\nTo login as user "admin" run 'grigri login -u admin -c far'.\nexit code 1`,
  );
  await run('logout -c far');
  expect(await run('login ADDRESS')).toContain(`To login run 'grigri login -c far'.`);
});

test('login with --no-prompt and --trust asks nothing', async () => {
  expect(await run('login ADDRESS -c far -u admin --no-prompt --trust', `${password}\n`)).toBe(
    `${presented}Welcome, admin. You are now logged into "far".\n\nCurrent model set to "admin/controller".\nexit code 0`,
  );
});

describe('a controller is not kept', () => {
  const failed = 'ERROR cannot log into "ADDRESS":';
  const noPrompt = 'login ADDRESS -c far --no-prompt';
  test.each([
    ['without trust', 'login ADDRESS -c far', 'n\n', `${asked}${failed} controller CA not trusted`],
    ['without an answer', 'login ADDRESS -c far', '', `${asked}${failed} controller CA not trusted`],
    ['without --trust', `${noPrompt} -u admin`, '', `${presented}${failed} controller CA not trusted`],
    [
      'with --trust alone',
      'login ADDRESS -c far --trust',
      'n\n',
      `${asked.replace('Trust remote', 'Ignoring --trust without --no-prompt\nTrust remote')}${failed} controller CA not trusted`,
    ],
    [
      'without a user',
      `${noPrompt} --trust`,
      '',
      `${presented}${failed} cannot deduce user, please pass --user with --no-prompt`,
    ],
    [
      'with a wrong password',
      `${noPrompt} --trust -u admin`,
      'wrong\n',
      `${presented}${failed} invalid entity name or password`,
    ],
    [
      'without a name',
      'login ADDRESS',
      '',
      `${failed} cannot use "ADDRESS" as a controller name - use -c option to choose a different one`,
    ],
    [
      'with a name that would be a path',
      'login ADDRESS -c ../x',
      '',
      `${failed} cannot use "../x" as a controller name - use -c option to choose a different one`,
    ],
    [
      'by an alias',
      'login public',
      '',
      'ERROR cannot log into "public": "public" is not a known public controller',
    ],
  ])('%s', async (_, line, input, output) => {
    expect(await run(line, input)).toBe(`${output}\nexit code 1`);
    expect(await cli.store.controllers()).toEqual({});
  });
});

test('a name that another controller has is refused after the login, and keeps what it had', async () => {
  await using other = await testController();
  await knowController(cli, other, 'far');
  const before = await cli.store.controllers();
  const output = await run('login ADDRESS -c far', `y\n${password}\n`);
  expect(output).toContain('does not match existing controller.\nPlease choose a different controller name');
  expect(await cli.store.controllers()).toEqual(before);
  expect((await cli.store.account('far'))?.password).toBe(other.password);
});

test('a controller that is known by former addresses gets the new one', async () => {
  await knowController(cli, controller, 'far');
  const details = (await cli.store.controllers())['far']!;
  await cli.store.updateController('far', { ...details, 'api-endpoints': ['127.0.0.1:1'] });
  expect(await run('login ADDRESS -c far', `y\n${password}\n`)).toContain('Welcome, admin.');
  expect((await cli.store.controllers())['far']!['api-endpoints']).toContain(controller.address);
});

describe('servers that are no controllers', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());
  async function serve(options: { cert: string; key: string }): Promise<string> {
    server = createServer(options);
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('a controller without a CA certificate is refused before anything is asked', async () => {
    const { server: leafAndCa } = await makeTestCa();
    const leaf = leafAndCa.cert.split(/(?<=-----END CERTIFICATE-----\n)/)[0]!;
    const address = await serve({ ...leafAndCa, cert: leaf });
    expect(await run(`login ${address} -c far`)).toBe(
      `ERROR cannot log into "${address}": the server at ${address} presents no CA certificate\nexit code 1`,
    );
  });

  test('a controller with a certificate for another name gets no password', async () => {
    const { server: elsewhere } = await makeTestCa('elsewhere');
    const address = await serve(elsewhere);
    const output = await run(`login ${address} -c far -u admin`, `y\n${password}\n`);
    expect(output).toContain('does not match certificate');
    expect(await cli.store.controllers()).toEqual({});
  });

  test('a controller that does not answer is named', async () => {
    expect(await run('login 127.0.0.1:1 -c far')).toContain(
      'ERROR cannot log into "127.0.0.1:1": cannot connect to the controller (127.0.0.1:1: ',
    );
  });
});

test.each([
  ['10.0.0.5:17070', '10.0.0.5:17070'],
  ['db.example.com', 'db.example.com:443'],
  ['[fd00::1]:17070', '[fd00::1]:17070'],
  ['[fd00::1]', '[fd00::1]:443'],
  ['db.example.com:0', undefined],
  ['db.example.com:65536', undefined],
  ['db.example.com:x', undefined],
  ['fd00::1', undefined],
  ['user@db.example.com', undefined],
  ['https://db.example.com', undefined],
])('the address of %s is %s', (host, address) => {
  if (address === undefined) expect(() => withPort(host)).toThrow('is no <host>[:<port>]');
  else expect(withPort(host)).toBe(address);
});

test('a host of any length is refused at once', () => {
  expect(() => withPort(`a.${':b'.repeat(100_000)} c`)).toThrow('is no <host>[:<port>]');
});
