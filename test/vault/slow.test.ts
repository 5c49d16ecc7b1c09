/**
 * Server of OpenBao behind a proxy that is slow, or never answers: callers that do not need the server go on, and
 * callers that do get an error in time.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MachineAgent } from '../../src/agent/machine/machine-agent.ts';
import { createSimulatedProvider, SimulatedCloud } from '../../src/providers/clouds/simulated/index.ts';
import { knowController, testCli, type CliRun, type TestCli } from '../../src/testing/cli.ts';
import { testController, type TestController } from '../../src/testing/controller.ts';
import { startMachineAgent } from '../../src/testing/start-machine-agent.ts';
import { OpenBao } from './openbao.ts';

/** Proxy that hands requests on, unless they are held. */
class SlowProxy {
  #open = Promise.resolve();
  readonly #server: Server;

  constructor(target: string) {
    this.#server = createServer((incoming, outgoing) => {
      void this.#open.then(() => {
        if (incoming.socket.destroyed) return;
        const { method, headers, url = '' } = incoming;
        const onward = request(`${target}${url}`, { method: method ?? 'GET', headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        });
        onward.on('error', () => outgoing.destroy());
        incoming.pipe(onward);
      });
    });
  }

  /** Holds requests. Returns a function that releases them. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    return resolve;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let bao: OpenBao;
let proxy: SlowProxy;
let folder: string;
let controller: TestController;
let cli: TestCli;
const agents: MachineAgent[] = [];
/** URIs of a secret of each model: `vaulted` keeps it in the server, `plain` in the controller. */
const uris: Record<string, string> = {};

const run = (model: string, ...args: string[]): Promise<CliRun> =>
  cli.run(args, { env: { JUJU_MODEL: model } });
async function ok(model: string, ...args: string[]): Promise<string> {
  const done = await run(model, ...args);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  return done.stdout;
}
const read = (model: string): Promise<CliRun> =>
  run(model, 'exec', '--unit', 'teller/0', '--', `secret-get ${uris[model]} token`);
async function workload(model: string): Promise<string> {
  const { applications } = JSON.parse(await ok(model, 'status', '--format', 'json')) as {
    applications: Record<string, { units: Record<string, { 'workload-status': { current: string } }> }>;
  };
  return applications['teller']!.units['teller/0']!['workload-status'].current;
}

beforeAll(async () => {
  bao = await OpenBao.start();
  proxy = new SlowProxy(bao.endpoint);
  folder = mkdtempSync(join(tmpdir(), 'grigri-slow-'));
  const cloud = new SimulatedCloud({
    latencyMs: 0,
    onStart: async ({ params: { machineId, agent } }) => {
      const { agentConf } = agent;
      const dir = mkdtempSync(join(folder, 'machine-'));
      agents.push(await startMachineAgent({ dir, machineId, agentConf, address: controller.address }));
    },
  });
  controller = await testController(createSimulatedProvider(cloud));
  cli = testCli();
  await knowController(cli, controller);
  const charm = join(cli.folder, 'teller');
  mkdirSync(join(charm, 'hooks'), { recursive: true });
  writeFileSync(join(charm, 'metadata.yaml'), 'name: teller\nsummary: s\ndescription: d\n');
  writeFileSync(join(charm, 'config.yaml'), 'options:\n  token: {type: secret, description: d}\n');
  const script =
    '#!/bin/sh\nset -e\n[ -z "$(config-get token)" ] || secret-get "$(config-get token)"\nstatus-set active\n';
  writeFileSync(join(charm, 'hooks/config-changed'), script, { mode: 0o755 });
  await ok(
    '',
    'add-secret-backend',
    'myvault',
    'vault',
    `endpoint=${await proxy.listen()}`,
    `token=${bao.token}`,
  );
  for (const model of ['vaulted', 'plain']) {
    await ok('', 'add-model', model);
    if (model === 'vaulted') await ok(model, 'model-secret-backend', 'myvault');
    uris[model] = (await ok(model, 'add-secret', 'pw', `token=${model}`)).trim();
    await ok(model, 'deploy', './teller', '--base', 'ubuntu@24.04');
    await ok(model, 'grant-secret', 'pw', 'teller');
  }
});
afterAll(async () => {
  proxy.close();
  await Promise.all(agents.map((agent) => agent.stop()));
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
  await bao[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test('contents are read and stored when the server answers late, and nobody else waits for it', async () => {
  for (const model of ['vaulted', 'plain']) await expect.poll(() => workload(model)).toBe('active');
  const answer = proxy.hold();
  const slow = [
    read('vaulted'),
    run('vaulted', 'show-secret', 'pw', '--reveal'),
    run('vaulted', 'add-secret', 'second', 'token=second'),
  ];
  await ok('vaulted', 'status');
  await ok('vaulted', 'secrets');
  expect(await read('plain')).toMatchObject({ code: 0, stdout: 'plain\n' });
  await ok('plain', 'add-secret', 'third', 'token=third');
  answer();
  const [unit, shown, added] = await Promise.all(slow);
  expect(unit).toMatchObject({ code: 0, stdout: 'vaulted\n' });
  expect(shown!.stdout).toContain('token: vaulted');
  expect(added).toMatchObject({ code: 0 });
});

test('a server that never answers fails the callers that need it, in words that charms know, and delays nobody else', async () => {
  const answer = proxy.hold();
  const words = 'secret backend "myvault" cannot be reached: no answer for 10 s';
  const reading = read('vaulted');
  const adding = run('vaulted', 'exec', '--unit', 'teller/0', '--', 'secret-add token=fourth');
  const storing = run('vaulted', 'add-secret', 'fifth', 'token=fifth');
  await ok('vaulted', 'config', 'teller', `token=${uris['vaulted']}`);
  expect(await ok('vaulted', 'remove-secret', 'second')).toBe('');
  expect((await run('vaulted', 'show-secret', 'second')).code).toBe(1);
  expect(await read('plain')).toMatchObject({ code: 0, stdout: 'plain\n' });
  await ok('vaulted', 'status');
  expect((await reading).stderr).toContain(`ERROR ${words}`);
  expect(await storing).toMatchObject({ code: 1, stderr: expect.stringContaining(words) as string });
  const [, task = ''] = / - id "(\d+)"/.exec((await adding).stderr) ?? [];
  expect(await ok('vaulted', 'show-task', task)).toContain(
    `failed: committing requested changes failed: ${words}`,
  );
  // The hook that reads the secret fails, and runs again when the server is back.
  await expect.poll(() => workload('vaulted')).toBe('error');
  expect(await read('plain')).toMatchObject({ code: 0, stdout: 'plain\n' });
  answer();
  await expect.poll(() => workload('vaulted')).toBe('active');
  expect(await read('vaulted')).toMatchObject({ code: 0, stdout: 'vaulted\n' });
});
