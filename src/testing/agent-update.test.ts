/** Agents that are replaced by a newer version between and within hooks of a real charm. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MachineAgent } from '../agent/machine/machine-agent.ts';
import type { Connection } from '../client/connection.ts';
import { uploadCharm } from '../client/http.ts';
import { createSimulatedProvider, SimulatedCloud } from '../providers/clouds/simulated/index.ts';
import { startMachineAgent } from './start-machine-agent.ts';
import { testController, type TestController } from './controller.ts';
import { writeZip } from './zip.ts';

let dir: string;
let controller: TestController;
let model: string;
let admin: Connection;
const agents: MachineAgent[] = [];
const lines: string[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grigri-resource-agent-'));
  const cloud = new SimulatedCloud({
    latencyMs: 0,
    onStart: ({ params }) => startAgent(params.machineId, params.agent.agentConf),
  });
  controller = await testController(createSimulatedProvider(cloud));
  model = await controller.addModel('work');
  admin = await controller.connect(model);
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  await admin.close();
  await controller[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

let conf: string;

async function startAgent(machineId: string, agentConf: string): Promise<void> {
  conf = agentConf;
  await startVersion(machineId, '3.6.28');
}

async function startVersion(machineId: string, version: string): Promise<void> {
  const onLine = (line: string): void => void lines.push(line);
  const { address } = controller;
  // A restarted agent has the password that its first run chose.
  const agentConf = await readFile(join(dir, machineId, 'agent.conf'), 'utf8').catch(() => conf);
  agents.push(await startMachineAgent({ dir, machineId, agentConf, address, onLine, version }));
}

const to = () => ({
  addresses: [controller.address],
  caCert: controller.caCert,
  login: { tag: 'user-admin', password: controller.password },
  modelUuid: model,
});

/** Ends the agent within or between hooks, and starts a newer one in the same folder. */
async function update(version: string): Promise<void> {
  await agents.pop()!.stop();
  await startVersion('0', version);
}

/** The hooks that began, each with the version that its environment told. */
async function ran(): Promise<string[]> {
  return (await readFile(join(dir, 'trace'), 'utf8').catch(() => '')).trim().split('\n');
}

async function untilRan(...last: string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  while ((await ran()).slice(-last.length).join() !== last.join()) {
    if (Date.now() > deadline)
      throw new Error(
        `${(await ran()).join(', ')} does not end in ${last.join(', ')}\n${lines.slice(-40).join('\n')}`,
      );
    await sleep(50);
  }
}

const hang = (): Promise<void> => writeFile(join(dir, 'hang'), '');
const goOn = (): Promise<void> => rm(join(dir, 'hang'));
const configure = (n: string): Promise<unknown> =>
  admin.call('Application', 'SetConfigs', {
    Args: [{ application: 'app', generation: 'master', config: { n }, 'config-yaml': '' }],
  });

async function upload(revision: number): Promise<string> {
  const hook = {
    text: `#!/bin/sh
echo "$JUJU_HOOK_NAME $JUJU_VERSION" >> ${dir}/trace
while [ -e ${dir}/hang ]; do sleep 0.1; done
`,
    mode: 0o100755,
  };
  const file = join(dir, `app-${revision}.charm`);
  await writeZip(file, {
    'metadata.yaml': 'name: app\nsummary: s\ndescription: d\n',
    'config.yaml': 'options:\n  n: {type: int, default: 0, description: A number.}\n',
    ...Object.fromEntries(
      ['install', 'start', 'config-changed', 'upgrade-charm', 'stop'].map((name) => [`hooks/${name}`, hook]),
    ),
  });
  return uploadCharm({ ...to(), name: 'app', revision, file });
}

test(
  'a newer agent goes on where the older one ended, with the hook or operation that it was in',
  { timeout: 240_000 },
  async () => {
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    const args = {
      application: 'app',
      'charm-url': await upload(0),
      channel: '',
      'num-units': 1,
      'config-yaml': '',
      constraints: {},
      Force: false,
      'charm-origin': { source: 'local', type: 'charm', base },
    };
    expect(await admin.call('Application', 'Deploy', { applications: [args] })).toEqual({ results: [{}] });
    await untilRan('install 3.6.28', 'config-changed 3.6.28', 'start 3.6.28');

    // Between hooks: nothing runs for the update itself, `start` neither, since the machine did not boot.
    await update('3.6.29');
    await configure('1');
    await untilRan('start 3.6.28', 'config-changed 3.6.29');

    // Within a hook: it is run again by the newer agent, before anything else.
    await hang();
    await configure('2');
    await untilRan('config-changed 3.6.29', 'config-changed 3.6.29');
    await update('3.6.30');
    await goOn();
    await untilRan('config-changed 3.6.29', 'config-changed 3.6.30');

    // Within an upgrade of the charm: the newer agent resumes it, and config-changed follows as always.
    await hang();
    const refresh = { application: 'app', 'charm-url': await upload(1), generation: 'master', channel: '' };
    await admin.call('Application', 'SetCharm', {
      ...refresh,
      force: false,
      'force-units': false,
      'force-base': false,
    });
    await untilRan('upgrade-charm 3.6.30');
    await update('3.6.31');
    await goOn();
    await untilRan('upgrade-charm 3.6.30', 'upgrade-charm 3.6.31', 'config-changed 3.6.31');
  },
);
