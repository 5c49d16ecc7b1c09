import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock, type Clock } from '../kit/clock.ts';
import { fakeHookContext } from '../testing/hook-context.ts';
import {
  dir,
  charmDir,
  toolsDir,
  socket,
  charmFile,
  run,
  fileExists,
  install,
  untilEnded,
  prepareHooks,
} from '../testing/hook-run.ts';

prepareHooks();

describe('running a hook', () => {
  test('a hook runs in the charm directory, and its output comes line by line', async () => {
    await charmFile('hooks/install', '#!/bin/sh\npwd\necho warning >&2\nprintf "no newline"\n');
    expect(await run(install)).toEqual({
      kind: 'done',
      handler: 'own',
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
  ])('a hook whose file %s fails and says which file', async (_, content, mode, message) => {
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

  test('a process that does not end when its hook is cancelled is killed a while later', async () => {
    await charmFile('actions/backup', `#!/bin/bash\ntrap '' TERM\necho $$\nwhile :; do sleep 0.05; done\n`);
    const cancel = new AbortController();
    let group = 0;
    // Time advances by a second at each look at the group.
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

test('captured output that is cut ends with a whole character, and says that it is cut', async () => {
  const command = 'printf xx; yes €€€€€ | head -c 4194304';
  const { output, cut } = await run({ command }, fakeHookContext(), { capture: true });
  expect(cut).toEqual(['stdout']);
  expect(output?.stdout?.slice(-2)).toBe('€€');
  expect(Buffer.byteLength(output?.stdout ?? '')).toBe(4_194_302);
  expect((await run({ command: 'echo a' }, fakeHookContext(), { capture: true })).cut).toBeUndefined();
});

test('captured bytes that are not UTF-8 are encoded as base64', async () => {
  const result = await run({ command: String.raw`printf '\377\n'` }, fakeHookContext(), { capture: true });
  expect(result.output).toEqual({ stdout: '/wo=', 'stdout-encoding': 'base64' });
});
