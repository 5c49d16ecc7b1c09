/** Hook tools as processes on the PATH of a hook, and the socket that they call. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../kit/log.ts';
import { fakeHookContext } from '../testing/hook-context.ts';
import { installHookTools } from './install-hook-tools.ts';
import { HookSocket } from './socket.ts';
import {
  dir,
  charmDir,
  toolsDir,
  socket,
  records,
  charmFile,
  run,
  install,
  prepareHooks,
} from '../testing/hook-run.ts';

prepareHooks();

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
    expect(result).toEqual({
      kind: 'done',
      handler: 'dispatch',
      code: 0,
      reboot: '',
      stdout: ['asked it all'],
      stderr: [],
    });
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
        stderr: `ERROR config-get runs only in the context of a unit; on this machine: juju-exec -u ${unit} config-get; from a client: exec --unit ${unit} config-get\n`,
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
