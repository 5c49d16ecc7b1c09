/** Logins, copies and debugged hooks in a container on a machine of LXD, which is reached through that machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, type World } from '../world.ts';
import { base, containers, startBoxes } from './places.ts';

let world: World & { readonly uuid: string };
/** Ids of the containers. */
const [first, second] = ['0/lxd/0', '0/lxd/1'];
const on = async (target: string, ...command: string[]): Promise<string> =>
  (await world.grigri('ssh', target, ...command)).trim();

beforeAll(async () => {
  world = await startBoxes('nested');
  const config = 'options:\n  x: {type: string, default: "", description: d}\n';
  const hooks = {
    start: 'status-set active ready',
    'config-changed': 'status-set active "x is $(config-get x) at ${JUJU_DEBUG_AT-}"',
  };
  const install = 'apt-get update -q && apt-get install -yq --no-install-recommends tmux';
  await world.grigri('deploy', world.charm('host', { hooks: { ...hooks, install }, config }), ...base);
  await world.untilUnit('host/0', { agent: 'idle', message: 'ready' });
  const one = world.charm('one', { hooks, config });
  await world.grigri('deploy', one, ...base, '-n', '2', '--to', 'lxd:0,lxd:0');
  for (const unit of ['one/0', 'one/1']) await world.untilUnit(unit, { agent: 'idle', message: 'ready' });
});
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
  expect(await containers(world?.uuid ?? '')).toEqual([]);
});

test('ssh reaches a container by its id and its unit, as a user with a home who may become root', async () => {
  const instance = await on(first, 'hostname');
  expect(instance).toMatch(/-0-lxd-0$/);
  expect(await on('one/0', 'whoami; pwd; sudo id -u; touch mine; hostname')).toBe(
    `ubuntu\n/home/ubuntu\n0\n${instance}`,
  );
  expect(await world.attempt('ssh', second, 'exit 3')).toMatchObject({ code: 3 });
  expect(await on('--proxy', 'one/1', 'hostname')).toMatch(/-0-lxd-1$/);
});

test('a container has host keys of its own, and one that no agent reported is refused', async () => {
  const keyOf = (target: string): Promise<string> => on(target, 'cat /etc/ssh/ssh_host_ed25519_key.pub');
  const keys = await Promise.all(['0', first, second].map(keyOf));
  expect(new Set(keys).size).toBe(3);
  // The server keeps running beside the agent, which restarts it with the existing keys.
  const stop = 'kill $(cat /run/sshd.pid)';
  const foreign = `${stop}; sleep 1; /usr/sbin/sshd -h /root/foreign`;
  await world.grigri('exec', '--machine', second, `ssh-keygen -q -t ed25519 -N '' -f /root/foreign`);
  // The machine's own server may be back before the foreign one starts.
  await world.until('a foreign server', async () => {
    await world.attempt('exec', '--machine', second, foreign);
    const { code, stderr } = await world.attempt('ssh', second, 'true');
    return (
      code === 255 &&
      stderr.includes('REMOTE HOST IDENTIFICATION HAS CHANGED') &&
      /Offending \S+ key in \S+\/keys-reported-by-agents/.test(stderr)
    );
  });
  const copy = await world.attempt('scp', `${second}:/etc/hostname`, world.dir);
  expect(copy.code).not.toBe(0);
  expect(copy.stderr).toContain('Host key verification failed');
  expect(await on('--no-host-key-checks', second, 'echo in')).toBe('in');
  await on('--no-host-key-checks', second, `sudo sh -c '${stop}'`);
  await world.until('the own server', async () => (await on(second, 'echo in')) === 'in');
  // New keys are reported by the agent, and then expected.
  await on(second, `sudo sh -c 'rm /etc/ssh/ssh_host_*; ${stop}'`);
  await world.until('the new keys', async () => (await keyOf(second)) !== keys[2]);
});

test('files are copied to a container, from it, and between containers and machines', async () => {
  const folder = join(world.dir, 'folder');
  mkdirSync(join(folder, 'deep'), { recursive: true });
  writeFileSync(join(folder, 'deep/file'), 'content');
  await world.grigri('scp', join(folder, 'deep/file'), 'one/0:');
  await world.grigri('scp', '--', '-r', folder, `${second}:/tmp`);
  await world.grigri('scp', 'one/0:file', 'one/1:/home/ubuntu/between');
  await world.grigri('scp', '--', '-r', 'one/1:/tmp/folder', 'host/0:/tmp');
  await world.grigri('scp', 'host/0:/tmp/folder/deep/file', `ubuntu@${first}:from-host`);
  expect(await on('one/1', 'cat between /tmp/folder/deep/file')).toBe('contentcontent');
  await world.grigri('scp', '--', '-r', `${first}:from-host`, 'host/0:/tmp/folder', world.dir);
  expect(readFileSync(join(world.dir, 'from-host'), 'utf8')).toBe('content');
  expect(readFileSync(join(world.dir, 'folder/deep/file'), 'utf8')).toBe('content');
  const missing = await world.attempt('scp', 'one/0:/none', world.dir);
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.stderr).toContain('No such file or directory');
});

/** Runs a command on a terminal of its own until the command ends. */
function onTerminal(...args: string[]): { seen: () => string; ends: Promise<unknown[]> } {
  const line = [join(root, 'bin/grigri'), ...args].join(' ');
  const terminal = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
    env: { ...process.env, JUJU_DATA: join(world.dir, 'client'), TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let seen = '';
  terminal.stdout.on('data', (piece: Buffer) => (seen += piece.toString()));
  return { seen: () => seen, ends: once(terminal, 'exit') };
}

test('debug-hooks and debug-code catch hooks in a container', async () => {
  const windows = (): Promise<string> => on('one/0', 'sudo tmux list-windows -t =one/0 -F "#{window_name}"');
  const hooks = onTerminal('debug-hooks', 'one/0', 'config-changed');
  await world.until('the session', () =>
    Promise.resolve(hooks.seen().includes('Waiting for config-changed of one/0')),
  );
  await world.grigri('config', 'one', 'x=2');
  await world.until('the window', async () => (await windows()).includes('config-changed'));
  const type = 'status-set active "by hand, x is $(config-get x)"; exit 0';
  await on('one/0', `sudo tmux send-keys -t =one/0:config-changed '${type}' Enter`);
  await world.untilUnit('one/0', { agent: 'idle', message: 'by hand, x is 2' });
  await on('one/0', 'sudo tmux kill-session -t =one/0');
  expect(await hooks.ends).toEqual([0, null]);

  const code = onTerminal('debug-code', '--at', 'here', 'one/0', 'config-changed');
  await world.until('the session', () =>
    Promise.resolve(code.seen().includes('Waiting for config-changed of one/0')),
  );
  await world.grigri('config', 'one', 'x=3');
  await world.untilUnit('one/0', { agent: 'idle', message: 'x is 3 at here' });
  await on('one/0', 'sudo tmux kill-session -t =one/0');
  expect(await code.ends).toEqual([0, null]);
});

test('the ssh server is back after a reboot of the container', async () => {
  await world.attempt('ssh', second, 'sudo reboot');
  await world.until('the server', async () => (await on(second, 'echo back')) === 'back');
  await world.grigri('remove-application', 'one', 'host', '--no-prompt');
  await world.until('the containers to go', async () => (await containers(world.uuid)).length === 0);
});
