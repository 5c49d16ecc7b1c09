/** An agent with a real charm that asks for a resource, against a real controller over TLS. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MachineAgent } from '../agent/machine/machine-agent.ts';
import type { Connection } from '../client/connection.ts';
import { uploadCharm } from '../client/http.ts';
import { uploadResource } from '../client/resources.ts';
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

async function startAgent(machineId: string, agentConf: string): Promise<void> {
  const onLine = (line: string): void => void lines.push(line);
  agents.push(await startMachineAgent({ dir, machineId, agentConf, address: controller.address, onLine }));
}

const to = () => ({
  addresses: [controller.address],
  caCert: controller.caCert,
  login: { tag: 'user-admin', password: controller.password },
  modelUuid: model,
});

async function attach(content: string): Promise<void> {
  const file = join(dir, 'sent.txt');
  await writeFile(file, content);
  await uploadResource({ ...to(), application: 'reader', name: 'blob', file });
}

interface FullStatus {
  readonly applications: Readonly<
    Record<string, { readonly units: Readonly<Record<string, UnitStatus>> | null }>
  >;
}
interface UnitStatus {
  readonly machine: string;
  readonly 'workload-status': { readonly info: string };
  readonly 'agent-status': { readonly status: string };
}

/** Waits until the unit is idle and has this message. Returns its machine. */
async function shown(message: string): Promise<string> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const status = await admin.call<FullStatus>('Client', 'FullStatus', { patterns: [] });
    const unit = status.applications['reader']?.units?.['reader/0'];
    const info = unit?.['workload-status'].info ?? '';
    if (unit && info.startsWith(message) && unit['agent-status'].status === 'idle') return unit.machine;
    if (Date.now() > deadline)
      throw new Error(`"${info}" is not "${message}"\n${lines.slice(-60).join('\n')}`);
    await sleep(50);
  }
}

test(
  'a charm gets its resource, and runs upgrade-charm when another is attached',
  { timeout: 120_000 },
  async () => {
    const trace = join(dir, 'trace');
    const hook = {
      text: `#!/bin/sh
echo "$JUJU_HOOK_NAME" >> ${trace}
if path=$(resource-get blob 2>&1); then status-set active "$(cat "$path") $path"; else status-set blocked "$path"; fi
`,
      mode: 0o100755,
    };
    const file = join(dir, 'reader.charm');
    await writeZip(file, {
      'metadata.yaml': 'name: reader\nsummary: s\ndescription: d\nresources:\n  blob: {filename: data.txt}\n',
      'hooks/start': hook,
      'hooks/upgrade-charm': hook,
    });
    const url = await uploadCharm({ ...to(), name: 'reader', revision: 0, file });
    const base = { name: 'ubuntu', channel: '24.04/stable' };
    const args = {
      application: 'reader',
      'charm-url': url,
      channel: '',
      'num-units': 1,
      'config-yaml': '',
      constraints: {},
      Force: false,
      'charm-origin': { source: 'local', type: 'charm', base },
    };
    expect(await admin.call('Application', 'Deploy', { applications: [args] })).toEqual({ results: [{}] });
    const machine = await shown(
      'ERROR could not download resource: HTTP request failed: resource "blob" not found',
    );
    const path = join(dir, machine, 'agents/unit-reader-0/resources/blob/data.txt');
    for (const content of ['one', 'two', 'two']) {
      await attach(content);
      await shown(`${content} ${path}`);
    }
    expect(await readFile(trace, 'utf8')).toBe('start\nupgrade-charm\nupgrade-charm\n');
    const { results } = await admin.call<{ results: [{ 'unit-resources': object[] }] }>(
      'Resources',
      'ListResources',
      {
        entities: [{ tag: 'application-reader' }],
      },
    );
    const had = [{ name: 'blob', size: 3, username: 'admin' }];
    expect(results[0]['unit-resources']).toMatchObject([
      { tag: 'unit-reader-0', resources: had, 'download-progress': {} },
    ]);
  },
);
