import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { systemClock, type Clock } from '../kit/clock.ts';
import { createLog, silentLog, type LogRecord } from '../kit/log.ts';
import { fakeHookContext } from '../testing/hook-context.ts';
import type { HookContext } from './context.ts';
import { installHookTools } from './install-hook-tools.ts';
import { runHook, type HookResult, type HookRun } from './run-hook.ts';
import { HookSocket } from './socket.ts';

let dir: string;
let charmDir: string;
let toolsDir: string;
let socket: HookSocket;
let records: LogRecord[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hooks-'));
  charmDir = join(dir, 'charm');
  toolsDir = join(dir, 'tools');
  records = [];
  await mkdir(charmDir);
  await installHookTools({ dir: toolsDir, version: '3.6.28', arch: 'amd64' });
  socket = await HookSocket.listen({
    path: join(dir, 'run', 'agent.socket'),
    log: createLog(
      'test',
      (record) => records.push(record),
      () => 0,
    ),
  });
});

afterEach(async () => {
  await socket.close();
  await rm(dir, { recursive: true, force: true });
});

async function charmFile(path: string, content: string, mode = 0o755): Promise<void> {
  await mkdir(dirname(join(charmDir, path)), { recursive: true });
  await writeFile(join(charmDir, path), content);
  await chmod(join(charmDir, path), mode);
}

interface Outcome extends HookResult {
  readonly stdout: string[];
  readonly stderr: string[];
}

async function run(
  program: HookRun['program'],
  context: HookContext = fakeHookContext(),
  more: Partial<HookRun> = {},
): Promise<Outcome> {
  const lines: { stdout: string[]; stderr: string[] } = { stdout: [], stderr: [] };
  const result = await runHook({
    context,
    charmDir,
    toolsDir,
    socket,
    program,
    processFile: join(dir, 'hook.json'),
    onOutput: (stream, line) => lines[stream].push(line),
    clock: systemClock,
    ...more,
  });
  return { ...result, ...lines };
}

const install = { dispatchPath: 'hooks/install' };

describe('running a hook', () => {
  test('a hook runs in the charm directory, and its output comes line by line', async () => {
    await charmFile('hooks/install', '#!/bin/sh\npwd\necho warning >&2\nprintf "no newline"\n');
    expect(await run(install)).toEqual({
      kind: 'done',
      code: 0,
      reboot: '',
      stdout: [charmDir, 'no newline'],
      stderr: ['warning'],
    });
  });

  test('a hook runs through dispatch when the charm has one', async () => {
    await charmFile('hooks/install', '#!/bin/sh\necho wrong\n');
    await charmFile('dispatch', '#!/bin/sh\necho "$JUJU_DISPATCH_PATH $JUJU_HOOK_NAME $0"\n');
    const context = fakeHookContext({ event: { name: 'install' } });
    expect((await run(install, context)).stdout).toEqual([`hooks/install install ${charmDir}/dispatch`]);
  });

  test('a hook that the charm does not have is "missing"', async () => {
    expect(await run(install)).toEqual({ kind: 'missing', reboot: '', stdout: [], stderr: [] });
  });

  test.each([
    ['is not executable', '#!/bin/sh\n', 0o644, 'hooks/install is not executable'],
    ['has no interpreter', '#!/no/such/shell\n', 0o755, 'its interpreter is missing'],
  ])('whose file %s fails and says which file', async (_, content, mode, message) => {
    await charmFile('hooks/install', content, mode);
    const result = await run(install);
    expect(result.kind).toBe('failed');
    expect(result.message).toContain(message);
    expect(result.message).toContain(join(charmDir, 'hooks/install'));
  });

  test('a hook without a #! line runs as a shell script', async () => {
    await charmFile('hooks/install', 'echo hello\n');
    expect(await run(install)).toMatchObject({ kind: 'done', stdout: ['hello'] });
  });

  test('a hook whose file is a directory fails', async () => {
    await charmFile('hooks/install/file', '');
    expect((await run(install)).message).toBe(`${charmDir}/hooks/install is a directory`);
  });

  test('a hook fails, and is not "missing", when the charm directory does not exist', async () => {
    await rm(charmDir, { recursive: true });
    expect(await run(install)).toMatchObject({
      kind: 'failed',
      message: `charm directory ${charmDir} not found`,
    });
  });

  test('a hook with a non-zero exit code fails', async () => {
    await charmFile('hooks/install', '#!/bin/sh\nexit 3\n');
    expect(await run(install)).toMatchObject({ kind: 'failed', code: 3, message: 'exit status 3' });
  });

  test('a hook that was killed by a signal has the signal in its result', async () => {
    await charmFile('hooks/install', '#!/bin/sh\nkill -TERM $$\n');
    expect(await run(install)).toMatchObject({ kind: 'failed', killedBy: 'SIGTERM' });
  });

  test('a hook can open /dev/stderr and /dev/stdout', async () => {
    await charmFile('hooks/install', '#!/bin/sh\necho out >/dev/stdout\necho err >/dev/stderr\n');
    expect(await run(install)).toMatchObject({ kind: 'done', stdout: ['out'], stderr: ['err'] });
  });

  test('a hook has an empty standard input, and leads its own session', async () => {
    await charmFile('hooks/install', '#!/bin/sh\ncat\ncut -d" " -f1,5,6 /proc/$$/stat\n');
    const [ids] = (await run(install)).stdout;
    const [pid, group, session] = ids!.split(' ');
    expect([group, session]).toEqual([pid, pid]);
  });

  test('a hook ends although a background child keeps its output open', async () => {
    await charmFile('hooks/install', '#!/bin/sh\nsleep 1000 &\necho $! > pid\necho started\n');
    const result = await run(install);
    const pid = Number(await readFile(join(charmDir, 'pid'), 'utf8'));
    expect(result).toMatchObject({ kind: 'done', stdout: ['started'] });
    expect(() => process.kill(pid, 0)).not.toThrow();
    process.kill(pid);
  });

  test('a hook that exceeds its timeout is killed with its children', async () => {
    await charmFile('hooks/install', '#!/bin/sh\nsleep 1000 &\necho $! > pid\nwait\n');
    const result = await run(install, fakeHookContext(), {
      timeoutMs: 5000,
      clock: {
        now: Date.now,
        sleep: async (ms) => (ms === 5000 ? await fileExists(join(charmDir, 'pid')) : undefined),
      },
    });
    expect(result).toMatchObject({ kind: 'failed', message: 'timed out after 5s' });
    await untilEnded(Number(await readFile(join(charmDir, 'pid'), 'utf8')));
  });

  test('a hook that is cancelled can end by itself, and its output is kept', async () => {
    await charmFile(
      'actions/backup',
      `#!/bin/bash\ntrap 'echo tidied; exit 3' TERM\necho up\nsleep 1000 & wait\n`,
    );
    const cancel = new AbortController();
    const result = await run({ dispatchPath: 'actions/backup' }, fakeHookContext(), {
      capture: true,
      cancel: cancel.signal,
      onOutput: () => cancel.abort(),
    });
    expect(result).toMatchObject({ kind: 'failed', code: 3, output: { stdout: 'up\ntidied\n' } });
  });

  test('what does not end when its hook is cancelled is killed a while later', async () => {
    await charmFile('actions/backup', `#!/bin/bash\ntrap '' TERM\necho $$\nwhile :; do sleep 0.05; done\n`);
    const cancel = new AbortController();
    let group = 0;
    // Each look at the group is a second.
    let now = 0;
    const clock: Clock = { ...systemClock, now: () => (now += 1000), sleep: () => systemClock.sleep(1) };
    const result = await run({ dispatchPath: 'actions/backup' }, fakeHookContext(), {
      cancel: cancel.signal,
      onOutput: (_, line) => {
        group = Number(line);
        cancel.abort();
      },
      clock,
    });
    expect(result).toMatchObject({ kind: 'failed', killedBy: 'SIGKILL' });
    await untilEnded(group);
  });

  test('a hook that is cancelled before it starts does not start', async () => {
    await charmFile('actions/backup', '#!/bin/sh\necho ran\n');
    const result = await run({ dispatchPath: 'actions/backup' }, fakeHookContext(), {
      cancel: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ kind: 'failed', message: 'cancelled', stdout: [] });
  });

  test('a hook that is aborted is killed with its children', async () => {
    await charmFile('hooks/install', '#!/bin/sh\nsleep 1000 &\necho $! > pid\nwait\n');
    const controller = new AbortController();
    const running = run(install, fakeHookContext(), { signal: controller.signal });
    await fileExists(join(charmDir, 'pid'));
    controller.abort(new Error('agent stops'));
    await expect(running).rejects.toThrow('agent stops');
    await untilEnded(Number(await readFile(join(charmDir, 'pid'), 'utf8')));
  });

  test('a hook that has ended leaves an empty process file', async () => {
    await charmFile('hooks/install', '#!/bin/sh\nuntil grep group ../hook.json 2>/dev/null; do :; done\n');
    const result = await run(install);
    expect(JSON.parse(result.stdout[0]!)).toMatchObject({ group: { pid: expect.any(Number) } });
    expect((await readdir(dir)).sort()).toEqual(['charm', 'run', 'tools']);
  });
});

test('a hook’s environment has what charms expect, and nothing of the agent’s own', async () => {
  process.env['LEAK'] = 'agent';
  await charmFile(
    'dispatch',
    '#!/usr/bin/env -S python3 -S\nimport os, json\nprint(json.dumps(dict(os.environ)))\n',
  );
  const context = fakeHookContext({
    event: {
      name: 'db-relation-departed',
      relation: { id: 7, endpoint: 'db' },
      remoteUnit: 'mysql/0',
      remoteApplication: 'mysql',
      departingUnit: 'mysql/0',
    },
  });
  const { stdout } = await run({ dispatchPath: 'hooks/db-relation-departed' }, context);
  delete process.env['LEAK'];
  const environment = JSON.parse(stdout[0]!) as Record<string, string>;
  expect(environment['JUJU_CONTEXT_ID']).toMatch(/^[0-9a-f]{64}$/);
  delete environment['JUJU_CONTEXT_ID'];
  // Python adds this variable in a C locale.
  delete environment['LC_CTYPE'];
  expect(environment).toEqual({
    APT_LISTCHANGES_FRONTEND: 'none',
    CHARM_DIR: charmDir,
    CLOUD_API_VERSION: '',
    DEBIAN_FRONTEND: 'noninteractive',
    HOME: expect.stringMatching(/^\//) as string,
    JUJU_AGENT_SOCKET_ADDRESS: socket.path,
    JUJU_AGENT_SOCKET_NETWORK: 'unix',
    JUJU_API_ADDRESSES: '10.0.0.1:17070 10.0.0.2:17070',
    JUJU_AVAILABILITY_ZONE: 'zone-a',
    JUJU_CHARM_DIR: charmDir,
    JUJU_CHARM_FTP_PROXY: '',
    JUJU_CHARM_HTTPS_PROXY: '',
    JUJU_CHARM_HTTP_PROXY: '',
    JUJU_CHARM_NO_PROXY: '',
    JUJU_DEPARTING_UNIT: 'mysql/0',
    JUJU_DISPATCH_PATH: 'hooks/db-relation-departed',
    JUJU_HOOK_NAME: 'db-relation-departed',
    JUJU_MACHINE_ID: '3',
    JUJU_MODEL_NAME: 'test',
    JUJU_MODEL_UUID: context.model.uuid,
    JUJU_PRINCIPAL_UNIT: '',
    JUJU_RELATION: 'db',
    JUJU_RELATION_ID: 'db:7',
    JUJU_REMOTE_APP: 'mysql',
    JUJU_REMOTE_UNIT: 'mysql/0',
    JUJU_SLA: 'unsupported',
    JUJU_UNIT_NAME: 'web/0',
    JUJU_VERSION: '3.6.28',
    LANG: 'C.UTF-8',
    PATH: `${toolsDir}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin`,
    TERM: 'tmux-256color',
  });
});

test('a hook sees the proxies of its machine', async () => {
  await charmFile('hooks/start', '#!/bin/sh\necho "$http_proxy,$JUJU_CHARM_HTTP_PROXY"\n');
  const context = { ...fakeHookContext(), machineEnvironment: { http_proxy: 'http://p:1' } };
  expect((await run({ dispatchPath: 'hooks/start' }, context)).stdout).toEqual(['http://p:1,']);
});

test('an action has its own variables and no hook name', async () => {
  await charmFile(
    'actions/backup',
    '#!/bin/sh\necho "$JUJU_ACTION_NAME,$JUJU_ACTION_UUID,$JUJU_ACTION_TAG,$JUJU_HOOK_NAME"\n',
  );
  const context = fakeHookContext({
    event: { name: '', action: { id: '5', name: 'backup', parameters: {} } },
  });
  expect((await run({ dispatchPath: 'actions/backup' }, context)).stdout).toEqual(['backup,5,action-5,']);
});

test('exec runs a script with the tools, and captures its output', async () => {
  const context = fakeHookContext({ event: { name: 'juju-exec' } });
  const command = 'config-get port; echo "<$JUJU_HOOK_NAME$JUJU_DISPATCH_PATH>"; echo oops >&2; exit 4';
  const result = await run({ command }, context, { capture: true });
  expect(result).toMatchObject({ kind: 'failed', code: 4, output: { stdout: '80\n<>\n', stderr: 'oops\n' } });
});

test('captured bytes that are not UTF-8 are encoded as base64', async () => {
  const result = await run({ command: String.raw`printf '\377\n'` }, fakeHookContext(), { capture: true });
  expect(result.output).toEqual({ stdout: '/wo=', 'stdout-encoding': 'base64' });
});

describe('hook tools on the PATH of a hook', () => {
  test('hook tools work in sh', async () => {
    await charmFile(
      'hooks/install',
      `#!/bin/sh -e
echo "title=$(config-get title) ids=$(relation-ids db)"
relation-set -r db:7 name=web empty=
echo 'more: "yes"' > settings
relation-set -r 7 --file settings
relation-get -r db:7 --format=json - web/0 | relation-set -r db:7 --file -
relation-get -r db:7 host mysql/0
open-port 80
opened-ports
status-set maintenance "working on it"
juju-log -l WARNING -- "a message"
config-get --format=json -o out.json
cat out.json
`,
    );
    const context = fakeHookContext({ event: { name: 'install' } });
    const result = await run(install, context);
    expect(result).toMatchObject({ kind: 'done', stderr: [] });
    expect(result.stdout).toEqual([
      'title=a page ids=db:7',
      '10.0.0.5',
      '80/tcp',
      '{"debug":true,"port":80,"ratio":1.5,"title":"a page"}',
    ]);
    expect(Object.fromEntries(context.changes.relationSettings.get(7)!.unit)).toEqual({
      name: 'web',
      empty: '',
      more: 'yes',
      'ingress-address': '10.0.0.9',
    });
    expect(context.changes.openPorts).toEqual([{ endpoint: '', range: '80/tcp' }]);
    expect(context.done.statuses).toEqual([
      { kind: 'workload', status: 'maintenance', message: 'working on it' },
    ]);
    expect(context.done.logs).toEqual([{ level: 'WARNING', message: 'a message' }]);
  });

  test('hook tools work in python3', async () => {
    await charmFile(
      'hooks/install',
      `#!/usr/bin/python3 -S
import json, subprocess
def tool(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, **more).stdout.decode()
config = json.loads(tool('config-get', '--format=json'))
assert config['ratio'] == 1.5 and config['debug'] is True
tool('relation-set', '-r', 'db:7', '--file', '-', input=json.dumps({'k': 'v\\u00e9\\n', 'gone': ''}).encode())
bag = json.loads(tool('relation-get', '--format=json', '-r', 'db:7', '-', 'web/0'))
print(json.dumps(bag, sort_keys=True))
failed = subprocess.run(['relation-get', '-r', '99', '-'], capture_output=True)
print(failed.returncode, failed.stderr.decode().strip())
`,
    );
    const result = await run(install, fakeHookContext({ event: { name: 'install' } }));
    expect(result.stderr).toEqual([]);
    expect(result.stdout).toEqual([
      String.raw`{"ingress-address": "10.0.0.9", "k": "v\u00e9\n"}`,
      '2 ERROR invalid value "99" for option -r: relation not found',
    ]);
  });

  test('hook tools answer the calls of ops 2.19 and ops 3', async () => {
    await charmFile(
      'dispatch',
      String.raw`#!/usr/bin/python3 -S
import json, subprocess
def call(*args, stdin=None):
    done = subprocess.run(args, capture_output=True, input=stdin)
    assert done.returncode == 0 and done.stderr == b'', (args, done)
    return done.stdout.decode()
def answer(*args):
    return json.loads(call(*args))

# both
assert answer('is-leader', '--format=json') is True
assert answer('relation-ids', 'db', '--format=json') == ['db:7']
assert answer('config-get', '--format=json') == {'port': 80, 'ratio': 1.5, 'debug': True, 'title': 'a page'}
assert answer('goal-state', '--format=json')['units']['web/0']['status'] == 'waiting'
call('juju-log', '--log-level', 'DEBUG', '--', '-starts with a dash')
call('application-version-set', '--', '1.2')
call('open-port', '8080/tcp')
call('open-port', 'icmp')

# 2.19
assert answer('relation-list', '-r', '7', '--format=json') == ['mysql/0', 'mysql/1']
assert answer('relation-list', '-r', '7', '--app', '--format=json') == 'mysql'
assert answer('relation-get', '-r', '7', '-', 'mysql/0', '--format=json') == {'host': '10.0.0.5', 'port': '3306'}
call('relation-set', '-r', '7', '--file', '-', stdin=b"k: v\nyes: 'no'\ngone: ''\n")
assert answer('relation-get', '-r', '7', '-', 'web/0', '--format=json') == {'ingress-address': '10.0.0.9', 'k': 'v', 'yes': 'no'}
assert call('opened-ports') == '8080/tcp\nicmp\n'
network = answer('network-get', 'db', '--format=json')
call('status-set', '--application=False', 'blocked', 'need db')

# 3
assert answer('relation-list', '--format=json', '-r', 'db:7') == ['mysql/0', 'mysql/1']
assert answer('relation-list', '--format=json', '-r', 'db:7', '--app') == 'mysql'
assert answer('relation-get', '--format=json', '-r', 'db:7', '--app', '-', 'mysql') == {'ready': 'yes'}
call('relation-set', '-r', 'db:7', '--app', '--file', '-', stdin=b'{"a": "1"}')
assert answer('relation-get', '--format=json', '-r', 'db:7', '--app', '-', 'web') == {'a': '1'}
assert answer('relation-model-get', '--format=json', '-r', 'db:7')['uuid'].count('-') == 4
assert answer('network-get', '--format=json', 'db') == network
assert network['bind-addresses'][0]['addresses'][0]['value'] == '10.0.0.9'
assert answer('opened-ports', '--format=json') == ['8080/tcp', 'icmp']
call('status-set', '--application=True', 'active', '--', '')
assert answer('status-get', '--include-data', '--format=json', '--application=false') == {'status': 'blocked', 'message': 'need db', 'status-data': {}}
assert answer('status-get', '--include-data', '--format=json', '--application=true')['application-status']['units']
assert answer('storage-list', '--format=json', 'data') == []
assert answer('secret-ids', '--format=json') == []
call('state-set', '--file', '-', stdin=b'{"#notices#": "[]"}')
assert call('state-get', '#notices#') == '[]\n'
print('asked it all')
`,
    );
    const result = await run({ dispatchPath: 'hooks/update-status' }, fakeHookContext({ leader: true }));
    expect(result).toEqual({ kind: 'done', code: 0, reboot: '', stdout: ['asked it all'], stderr: [] });
  });

  test('every hook tool answers --help, and relation-set lists --file', async () => {
    await charmFile(
      'hooks/install',
      `#!/bin/sh
cd "${toolsDir}"
for tool in *; do
  case $tool in jujud|hook-tool) continue;; esac
  out=$($tool --help) || echo "$tool fails"
  case $out in "Usage: $tool"*) ;; *) echo "$tool says $out";; esac
done
relation-set --help | grep -c -e --file
`,
    );
    expect((await run(install)).stdout).toEqual(['1']);
  });

  test('hook tools read standard input only when an argument says so', async () => {
    await charmFile(
      'hooks/install',
      '#!/bin/sh\nprintf "a\\nb\\n" | while read line; do echo "$line $(config-get port)"; done\n',
    );
    expect((await run(install)).stdout).toEqual(['a 80', 'b 80']);
  });

  test('hook tools read and write files in the hook’s directory, with the hook’s permissions', async () => {
    await charmFile(
      'hooks/install',
      '#!/bin/sh\nmkdir sub; cd sub\nconfig-get -o port.txt port; cat port.txt\nrelation-set -r 7 --file nothing; echo $?\nconfig-get -o no/such/dir port; echo $?\n',
    );
    const result = await run(install);
    expect(result.stdout).toEqual(['80', '1', '1']);
    expect(result.stderr).toEqual([
      'ERROR cannot read nothing: No such file or directory',
      'ERROR cannot write no/such/dir: No such file or directory',
    ]);
  });

  test('hook tools are refused after the hook has ended', async () => {
    await charmFile('hooks/install', '#!/bin/sh\nenv > env\n');
    await run(install);
    const env = Object.fromEntries(
      (await readFile(join(charmDir, 'env'), 'utf8')).split('\n').map((line) => line.split('=', 2)),
    ) as Record<string, string>;
    const late = await toolProcess('config-get', env);
    expect(late).toEqual({ status: 1, stdout: '', stderr: 'ERROR no such hook context\n' });
  });

  test('calls with a wrong context id or none are refused, and ids are not logged', async () => {
    const context = fakeHookContext();
    const session = socket.open(context, () => undefined);
    const { contextId } = session;
    const wrong = `${contextId.slice(0, -1)}${contextId.endsWith('0') ? '1' : '0'}`;
    const call = (id: string): Promise<{ status: number | null; stdout: string; stderr: string }> =>
      toolProcess('config-get', { JUJU_CONTEXT_ID: id, JUJU_AGENT_SOCKET_ADDRESS: socket.path });
    expect(await call(wrong)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'ERROR no such hook context\n',
    });
    expect(await call('')).toMatchObject({ status: 1, stdout: '' });
    expect((await call(contextId)).status).toBe(0);
    await session.end();
    expect(JSON.stringify(records)).not.toContain(contextId.slice(0, 16));
  });

  test.each([
    ['perl', '/usr/bin/perl'],
    ['Node', '/no/perl'],
  ])('a tool on %s that is called outside of a hook says what to do', async (_, perl) => {
    for (const [folder, unit] of [
      ['unit-web-app-12', 'web-app/12'],
      ['machine-0', '<unit>'],
    ] as const) {
      const dir = join(dirname(toolsDir), folder);
      await installHookTools({ dir, version: '3.6.28', arch: 'amd64', perl });
      const { status, stderr } = spawnSync(join(dir, 'config-get'), ['port'], { encoding: 'utf8', env: {} });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `ERROR config-get runs only in the context of a unit; on this machine: juju-exec -u ${unit} config-get; from a client: grigri exec --unit ${unit} config-get\n`,
      });
    }
  });

  test('the socket is accessible to its owner only', async () => {
    expect((await stat(socket.path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(socket.path))).mode & 0o777).toBe(0o700);
    expect(await readFile('/proc/net/unix', 'utf8')).not.toContain(`@${socket.path}`);
  });

  test('hook tools run on Node where the machine has no perl', async () => {
    await installHookTools({ dir: toolsDir, version: '3.6.28', arch: 'amd64', perl: '/no/perl' });
    await charmFile(
      'hooks/install',
      '#!/bin/sh\nconfig-get port\necho \'{"a": "b"}\' | relation-set -r 7 --file -\nrelation-get -r 7 a web/0 -o out; cat out\nrelation-get -r 9; echo $?\n',
    );
    const result = await run(install);
    expect(result.stdout).toEqual(['80', 'b', '2']);
    expect(result.stderr).toEqual(['ERROR invalid value "9" for option -r: relation not found']);
  });
});

test('juju-reboot --now kills the hook, which has to run again', async () => {
  await charmFile('hooks/install', '#!/bin/sh\njuju-reboot --now\nsleep 1000\n');
  expect(await run(install)).toMatchObject({ kind: 'failed', reboot: 'now' });
});

test('juju-reboot lets the hook finish', async () => {
  await charmFile('hooks/install', '#!/bin/sh\njuju-reboot\necho finished\n');
  expect(await run(install)).toMatchObject({ kind: 'done', reboot: 'after', stdout: ['finished'] });
});

test('concurrent calls of tools are served one after the other, in the order in which they came', async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const context = fakeHookContext({
    log: (_, message) => order.push(message),
    setStatus: async (_, status) => {
      order.push(`${status} begins`);
      await gate.promise;
      order.push(`${status} ends`);
    },
  });
  const session = socket.open(context, () => undefined);
  const calls = [
    call(session.contextId, 'status-set', 'active'),
    call(session.contextId, 'juju-log', 'later'),
  ];
  // A call with a wrong id is answered without queueing: its answer means that the first two calls were received.
  expect(await call('wrong', 'is-leader')).toContain('ERROR no such hook context');
  expect(order).toEqual(['active begins']);
  gate.resolve();
  await Promise.all(calls);
  expect(order).toEqual(['active begins', 'active ends', 'later']);
  await session.end();
});

test('the end of a hook waits for the running tool, and refuses those behind it', async () => {
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const context = fakeHookContext({
    setStatus: async () => {
      started.resolve();
      await gate.promise;
    },
  });
  const session = socket.open(context, () => undefined);
  const first = call(session.contextId, 'status-set', 'active');
  await started.promise;
  const second = call(session.contextId, 'juju-log', 'later');
  await call('wrong', 'is-leader');
  const end = session.end();
  gate.resolve();
  await end;
  expect(await first).not.toContain('ERROR');
  expect(await second).toContain('ERROR the hook has ended');
  expect(context.done.logs).toEqual([]);
});

test('invalid data on the socket does not disturb other calls', async () => {
  const session = socket.open(fakeHookContext(), () => undefined);
  await send(Buffer.from('\xff\xff\xff\xff garbage', 'latin1'));
  await send(Buffer.from('\0\0\0\x05abc', 'latin1'), 'hang up');
  expect(await call(session.contextId, 'config-get', 'port')).toContain('80\n');
  await session.end();
});

test('a socket that a crashed agent left is replaced, and a path that is too long is refused', async () => {
  const log = silentLog;
  const path = join(dir, 'other', 'agent.socket');
  await mkdir(dirname(path));
  await writeFile(path, '');
  await using second = await HookSocket.listen({ path, log });
  expect((await stat(second.path)).isSocket()).toBe(true);
  await expect(HookSocket.listen({ path: join(dir, 'x'.repeat(108)), log })).rejects.toThrow(
    'longer than 107 bytes',
  );
});

test('jujud prints the version in the form that charmhelpers parses', () => {
  const { stdout } = spawnSync(join(toolsDir, 'jujud'), ['version']);
  expect(String(stdout)).toBe('3.6.28-ubuntu-amd64\n');
});

/** Calls a tool without a client; resolves with the whole answer. */
async function call(...words: string[]): Promise<string> {
  const request = Buffer.from(words.join('\0'));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(request.length);
  return await send(Buffer.concat([head, request]));
}

async function send(bytes: Buffer, then?: 'hang up'): Promise<string> {
  const connection = connect(socket.path);
  let answer = '';
  connection.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  connection.write(bytes);
  if (then === 'hang up') connection.end();
  await new Promise((resolve) => connection.on('close', resolve));
  return answer;
}

/** Runs a tool in another process, as this one must go on serving the socket. */
async function toolProcess(
  tool: string,
  env: Record<string, string>,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(join(toolsDir, tool), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, stdout, stderr };
}

async function fileExists(path: string): Promise<void> {
  while (!existsSync(path) || (await readFile(path, 'utf8')) === '') await systemClock.sleep(5);
}

async function untilEnded(pid: number): Promise<void> {
  for (;;) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (state === undefined || / Z /.test(state)) return;
    await systemClock.sleep(5);
  }
}
