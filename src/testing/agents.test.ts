/** Agents with real charms and hook tools, against a real controller over TLS; only the machines are simulated. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connection } from '../client/connection.ts';
import { uploadCharm } from '../client/http.ts';
import { SimulatedCloud, createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { eventually } from './eventually.ts';
import { namesIn } from './host-files.ts';
import { startMachineAgent } from './start-machine-agent.ts';
import { testController, type TestController } from './controller.ts';
import { clientCharm, hook, serverCharm } from './traced-charms.ts';
import { writeZip, type ZipContent } from './zip.ts';
import { parseAgentConf, renderAgentConf } from '../wire/agent-conf.ts';
import { MachineAgent } from '../agent/machine/machine-agent.ts';

let dir: string;
let controller: TestController;
let model: string;
let admin: Connection;
const agents: MachineAgent[] = [];
const starting: Promise<void>[] = [];
/** Whether the next machine's agent runs in a process of its own. */
let ownProcess = false;
let child: ChildProcess | undefined;
const lines: string[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grigri-e2e-'));
  const cloud = new SimulatedCloud({
    latencyMs: 0,
    // The cloud answers at once: an agent that is up before the answer sees the machine's addresses change.
    onStart: ({ params }) => {
      const { machineId, agent } = params;
      starting.push((ownProcess ? startProcess : startAgent)(machineId, agent.agentConf));
    },
  });
  controller = await testController(createSimulatedProvider(cloud));
  model = await controller.addModel('work');
  admin = await controller.connect(model);
});
afterAll(async () => {
  await Promise.all(starting);
  await Promise.all(agents.map((agent) => agent.stop()));
  await endProcess('SIGTERM');
  await admin.close();
  await controller[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

async function startAgent(machineId: string, agentConf: string): Promise<void> {
  const onLine = (line: string): void => void lines.push(line);
  agents.push(await startMachineAgent({ dir, machineId, agentConf, address: controller.address, onLine }));
}

/** Starts an agent as a provider delivers it: with its agent.conf, by the agent's own entry point. */
async function startProcess(machineId: string, agentConf: string): Promise<void> {
  const dataDir = join(dir, machineId);
  const conf = { ...parseAgentConf(agentConf), apiAddresses: [controller.address] };
  await mkdir(join(dataDir, 'agents', `machine-${machineId}`), { recursive: true });
  await writeFile(join(dataDir, 'agents', `machine-${machineId}`, 'agent.conf'), renderAgentConf(conf));
  const main = join(import.meta.dirname, '../main/agent.ts');
  // The sockets are elsewhere, as the files of this host do not belong to the machine.
  const command = [
    main,
    'machine',
    '--data-dir',
    dataDir,
    '--machine',
    machineId,
    '--run-dir',
    join(dir, 'run'),
  ];
  child = spawn(process.execPath, command, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr?.on('data', (data: Buffer) => lines.push(data.toString()));
}

/** Returns the programs of this host with the names that machines give to their tools. */
const programs = (): string[] => readdirSync('/usr/bin').filter((name) => name.startsWith('juju-'));

async function endProcess(signal: NodeJS.Signals): Promise<void> {
  const ended = child;
  if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
  const exit = once(ended, 'exit');
  ended.kill(signal);
  await exit;
}

async function deploy(name: string, content: ZipContent): Promise<void> {
  const file = join(dir, `${name}.charm`);
  const trace = join(dir, 'trace');
  const traced = Object.entries(content).map(([path, value]) => [
    path,
    typeof value === 'string'
      ? value
      : { ...value, text: value.text.replace('"$TRACE"', `${trace}-$(echo $JUJU_UNIT_NAME | tr / -)`) },
  ]);
  await writeZip(file, Object.fromEntries(traced) as ZipContent);
  const url = await uploadCharm({
    addresses: [controller.address],
    caCert: controller.caCert,
    login: { tag: 'user-admin', password: 'test-password' },
    modelUuid: model,
    name,
    revision: 0,
    file,
  });
  await settled(
    admin.call('Application', 'Deploy', {
      applications: [
        {
          application: name,
          'charm-url': url,
          channel: '',
          'num-units': 1,
          'config-yaml': '',
          constraints: {},
          Force: false,
          'charm-origin': {
            source: 'local',
            type: 'charm',
            base: { name: 'ubuntu', channel: '24.04/stable' },
          },
        },
      ],
    }),
  );
}

/** Throws the error that a bulk call returns as its result. */
async function settled(call: Promise<unknown>): Promise<void> {
  const { results } = (await call) as { results?: { error?: { message: string } }[] };
  for (const { error } of results ?? []) if (error) throw new Error(error.message);
}

interface FullStatus {
  applications: Record<string, { units: Record<string, UnitStatus> | null }>;
  machines: Record<string, unknown>;
}
interface UnitStatus {
  machine: string;
  'workload-status': { status: string; info: string };
  'agent-status': { status: string; info: string };
  'opened-ports': string[] | null;
}

async function waitFor(what: string, condition: (status: FullStatus) => boolean): Promise<FullStatus> {
  const deadline = Date.now() + 110_000;
  for (;;) {
    const status = await admin.call<FullStatus>('Client', 'FullStatus', { patterns: [] });
    if (condition(status)) return status;
    if (Date.now() > deadline) {
      throw new Error(
        `${what}: ${JSON.stringify(status.applications, null, 1)}\n${lines.slice(-60).join('\n')}`,
      );
    }
    await sleep(50);
  }
}
interface Ended {
  status: string;
  output?: Record<string, unknown>;
}
/** Returns the result of the only task once the task exists. */
async function ended(entities: readonly { tag: string }[]): Promise<Ended> {
  for (;;) {
    const { results } = await admin.call<{ results: [Ended] }>('Action', 'Actions', { entities });
    if (!['pending', 'running'].includes(results[0].status)) return results[0];
    await sleep(20);
  }
}

const unit = (status: FullStatus, name: string): UnitStatus | undefined =>
  status.applications[name.split('/')[0]!]?.units?.[name];
const ran = async (name: string): Promise<string[]> =>
  (await readFile(join(dir, `trace-${name.replace('/', '-')}`), 'utf8')).trim().split('\n');

test(
  'two applications are deployed, related and removed, and leave nothing behind',
  { timeout: 120_000 },
  async () => {
    await Promise.all([deploy('server', serverCharm), deploy('client', clientCharm)]);
    let status = await waitFor('both idle', (now) =>
      ['server/0', 'client/0'].every((name) => unit(now, name)?.['agent-status'].status === 'idle'),
    );
    expect(unit(status, 'server/0')).toMatchObject({
      'workload-status': { status: 'active', info: 'colour red' },
      'opened-ports': ['80/tcp'],
    });
    expect(unit(status, 'client/0')?.['workload-status'].status).toBe('unknown');
    expect(await ran('server/0')).toEqual(['install', 'leader-elected', 'config-changed', 'start']);

    await admin.call('Application', 'AddRelation', { endpoints: ['server', 'client'] });
    await waitFor(
      'the greeting',
      (now) => unit(now, 'client/0')?.['workload-status'].info === 'hello from server/0',
    );
    const [{ id: task }] = (
      await admin.call<{ actions: { action: { tag: string } }[] }>('Action', 'EnqueueOperation', {
        actions: [
          {
            receiver: 'unit-client-0',
            name: 'juju-exec',
            parameters: { command: 'echo $JUJU_UNIT_NAME; relation-ids db' },
          },
        ],
      })
    ).actions.map(({ action }) => ({ id: action.tag })) as [{ id: string }];
    const result = await ended([{ tag: task }]);
    expect(result.status).toBe('completed');
    expect(result.output).toMatchObject({ 'return-code': 0 });
    expect(result.output?.['stdout']).toMatch(/^client\/0\ndb:\d+\n$/);

    await settled(
      admin.call('Application', 'DestroyApplication', {
        applications: ['server', 'client'].map((name) => ({ 'application-tag': `application-${name}` })),
      }),
    );
    status = await waitFor('all gone', (now) => Object.keys(now.applications).length === 0);
    expect((await ran('client/0')).slice(-4)).toEqual([
      'db-relation-departed',
      'db-relation-broken',
      'stop',
      'remove',
    ]);
    for (const machine of ['0', '1'])
      await eventually(() => expect(namesIn(join(dir, machine, 'agents'))).toEqual([]));
  },
);

test('progress messages of an action are received while it runs', { timeout: 120_000 }, async () => {
  await deploy('reporter', {
    'metadata.yaml': 'name: reporter\nsummary: s\ndescription: d\n',
    'actions.yaml': 'report:\n  description: d\n',
    'hooks/start': hook('status-set active'),
    'actions/report': hook(
      'action-log half way',
      `while ! test -f ${dir}/heard; do sleep 0.02; done`,
      'action-log -- --done--',
      'action-set answer=42',
    ),
  });
  await waitFor('it is up', (now) => unit(now, 'reporter/0')?.['workload-status'].status === 'active');
  const { actions } = await admin.call<{ actions: [{ action: { tag: string } }] }>(
    'Action',
    'EnqueueOperation',
    { actions: [{ receiver: 'unit-reporter-0', name: 'report' }] },
  );
  const entities = [{ tag: actions[0].action.tag }];
  const { results } = await admin.call<{ results: [{ 'watcher-id': string; changes?: string[] }] }>(
    'Action',
    'WatchActionsProgress',
    { entities },
  );
  const { 'watcher-id': id, changes: heard = [] } = results[0];
  const hear = async (count: number): Promise<void> => {
    while (heard.length < count)
      heard.push(...(await admin.call<{ changes: string[] }>('StringsWatcher', 'Next', {}, { id })).changes);
  };
  await hear(1);
  await writeFile(join(dir, 'heard'), '');
  await hear(2);
  const said = heard.map((line) => JSON.parse(line) as { timestamp: string; message: string });
  expect(said.map(({ message }) => message)).toEqual(['half way', '--done--']);
  await admin.call('StringsWatcher', 'Stop', {}, { id });
  expect(await ended(entities)).toMatchObject({
    status: 'completed',
    log: said,
    output: { answer: '42', 'return-code': 0 },
  });
});

test('a port that another unit of the machine has is refused at once', { timeout: 120_000 }, async () => {
  await deploy('porter', {
    'metadata.yaml': 'name: porter\nsummary: s\ndescription: d\n',
    'hooks/start': hook('said=$(open-port 80 2>&1) || :', 'status-set active "$said"'),
  });
  const up = await waitFor('it is up', (now) => unit(now, 'porter/0')?.['agent-status'].status === 'idle');
  const placement = [{ scope: '#', directive: unit(up, 'porter/0')!.machine }];
  await admin.call('Application', 'AddUnits', { application: 'porter', 'num-units': 1, placement });
  const refusal =
    'ERROR cannot open 80/tcp (unit "porter/1"): port range conflicts with 80/tcp (unit "porter/0")';
  await waitFor('the refusal', (now) => unit(now, 'porter/1')?.['workload-status'].info === refusal);
});

test(
  'the contents of a secret that a command reads are shown to its caller, and are in no log or record, also not in pieces of long lines',
  { timeout: 120_000 },
  async () => {
    await deploy('teller', {
      'metadata.yaml': 'name: teller\nsummary: s\ndescription: d\n',
      'actions.yaml': 'tell:\n  description: d\n',
      'hooks/start': hook('status-set active'),
      'actions/tell': hook(
        `pw=$(secret-get "$(cat ${dir}/uri)" password)`,
        'action-log "it is $pw"',
        'juju-log "it is $pw"',
        'action-set password="$pw"',
        'status-set active "knows $pw"',
        'echo "$pw"',
        'printf "%065540d" 0 >&2; printf %.4s "$pw" >&2; sleep 0.5; echo "$pw" | cut -c 5- >&2',
        'action-fail "not $pw"',
      ),
    });
    await waitFor('it is up', (now) => unit(now, 'teller/0')?.['workload-status'].status === 'active');
    const made = await admin.call<{ results: [{ result: string }] }>('Secrets', 'CreateSecrets', {
      args: [{ 'owner-tag': '', label: 'pw', content: { data: { password: btoa('n33dle') } } }],
    });
    const uri = made.results[0].result;
    await writeFile(join(dir, 'uri'), uri);
    await settled(admin.call('Secrets', 'GrantSecret', { uri, label: '', applications: ['teller'] }));
    const run = async (
      name: string,
      parameters: object = {},
    ): Promise<Ended & { message?: string; log?: object[] }> => {
      const actions = [{ receiver: 'unit-teller-0', name, parameters }];
      const enqueued = await admin.call<{ actions: [{ action: { tag: string } }] }>(
        'Action',
        'EnqueueOperation',
        { actions },
      );
      return ended([{ tag: enqueued.actions[0].action.tag }]);
    };
    expect(await run('juju-exec', { command: `secret-get ${uri} password` })).toMatchObject({
      output: { stdout: 'n33dle\n', 'return-code': 0 },
    });
    expect(await run('tell')).toMatchObject({
      status: 'failed',
      message: 'not *****',
      output: { password: 'n33dle', stdout: 'n33dle\n' },
      log: [{ message: 'it is *****' }],
    });
    const { 'workload-status': status } = unit(await waitFor('its status', () => true), 'teller/0')!;
    expect(status.info).toBe('knows *****');
    const { 'watcher-id': id } = await admin.call<{ 'watcher-id': string }>('Client', 'WatchAll');
    const told = JSON.stringify(await admin.call('AllWatcher', 'Next', {}, { id }));
    expect(told).toContain('"stdout":"*****\\n"');
    expect(told).not.toMatch(/n33dle|bjMzZGxl/);
    expect(lines.join('\n')).toContain('it is *****');
    expect(lines.join('\n')).not.toMatch(/n33d|bjMzZGxl/);
  },
);

test(
  'an agent whose process is killed within a hook runs it again, and never twice at once',
  { timeout: 120_000 },
  async () => {
    ownProcess = true;
    const before = programs();
    const busy = join(dir, 'busy');
    await deploy('slow', {
      'metadata.yaml': 'name: slow\nsummary: s\ndescription: d\n',
      'hooks/install': hook(
        // Only one hook at a time may be between these two lines.
        `mkdir ${busy}`,
        `test -f ${dir}/go || sleep 1000`,
        `rmdir ${busy}`,
      ),
      'hooks/start': hook('status-set active up'),
    });
    const { machine } = unit(await waitFor('the hook runs', () => existsSync(busy)), 'slow/0')!;
    await endProcess('SIGKILL');
    await writeFile(join(dir, 'go'), '');
    await rm(busy, { recursive: true });
    const conf = join(dir, machine, 'agents', `machine-${machine}`, 'agent.conf');
    await startProcess(machine, await readFile(conf, 'utf8'));
    await waitFor('it is up', (now) => unit(now, 'slow/0')?.['workload-status'].status === 'active');
    expect(await ran('slow/0')).toEqual(['install', 'install', 'start']);
    expect(lines.join('\n')).toContain('ended the hook that the previous agent left running');
    expect(programs()).toEqual(before);
  },
);
