/** Keys, copies and debugged hooks on a real machine, with a tmux of the test's own and a real one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;
const onMachine = async (command: string): Promise<string> =>
  (await world.grigri('ssh', '0', command)).trim();

beforeAll(async () => {
  world = await startWorld('debugging');
  const config = 'options:\n  x: {type: string, default: "", description: d}\n';
  const hooks = {
    start: 'status-set active ready',
    'config-changed': 'status-set active "x is $(config-get x)"',
  };
  await world.grigri('deploy', world.charm('one', { hooks, config }));
  await world.grigri('deploy', world.charm('two', { hooks, config }), '--to', '0');
  for (const unit of ['one/0', 'two/0']) await world.untilUnit(unit, { agent: 'idle', message: 'ready' });
});
afterAll(async () => expect(await world.end()).toEqual([]));

test('the keys of the model reach the machine, and leave those of others', async () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJRxhq5nqA0bX5rO6x0uP4v6pT4tV1bB4Yb2WJm4nX3M';
  const keys = (): Promise<string> => onMachine('cat ~ubuntu/.ssh/authorized_keys');
  await onMachine('echo "ssh-rsa mine" >>~ubuntu/.ssh/authorized_keys');
  await world.grigri('add-ssh-key', `${key} me@here`);
  await world.until('the key to be there', async () => (await keys()).includes(`${key} me@here`));
  await world.grigri('remove-ssh-key', 'me@here');
  await world.until('the key to be gone', async () => !(await keys()).includes(key));
  expect(await keys()).toMatch(/juju-client-key[^]*ssh-rsa mine/);
  expect(await onMachine('stat -c %U:%a ~ubuntu/.ssh/authorized_keys')).toBe('ubuntu:600');
});

test('files are copied to the machine and back', async () => {
  const file = join(world.dir, "it's a file");
  writeFileSync(file, 'content');
  await world.grigri('scp', file, '0:/etc/copied');
  expect(await onMachine('cat /etc/copied')).toBe('content');
  await onMachine('mkdir -p /srv/deep/er && cp /etc/copied /srv/deep/er/ && chown -R ubuntu: /srv');
  await world.grigri('scp', '--', '-r', 'ubuntu@one/0:/srv/deep', world.dir);
  expect(readFileSync(join(world.dir, 'deep/er/copied'), 'utf8')).toBe('content');
  const missing = await world.attempt('scp', '0:/none', world.dir);
  expect(missing.code).not.toBe(0);
  expect(missing.stderr).toContain('/none: No such file or directory');
});

/** This tmux has windows that read lines written into `input`. */
const tmux = `#!/bin/bash
cd /run/tmux || exit 1
case $1 in
  new-session) touch session ;;
  has-session) [ -e session ] ;;
  attach-session) while [ -e session ]; do sleep 0.1; done ;;
  kill-session) rm -f session ;;
  new-window) for last do :; done; echo @1; setsid sh -c "$last <input 2>&1" >/dev/null 2>&1 & ;;
esac
`;

test('debug-hooks holds a hook of its unit until the window says how it ended, and no other unit waits', async () => {
  await onMachine('mkdir /run/tmux && mkfifo /run/tmux/input');
  const file = join(world.dir, 'tmux');
  writeFileSync(file, tmux, { mode: 0o755 });
  await world.grigri('scp', file, '0:/usr/local/bin/tmux');
  const session = world.attempt('debug-hooks', 'one/0', 'config-changed');
  await world.until(
    'the session',
    async () => (await world.attempt('ssh', '0', 'test -e /run/tmux/session')).code === 0,
  );
  await world.grigri('config', 'one', 'x=1');
  await world.grigri('config', 'two', 'x=1');
  await world.untilUnit('two/0', { agent: 'idle', message: 'x is 1' });
  await world.untilUnit('one/0', { agent: 'executing', message: 'ready' });
  // Commands in the window have the hook's tools, and the window's end is the hook's.
  await onMachine('echo "status-set active caught; exit 3" >/run/tmux/input');
  await world.untilUnit('one/0', { workload: 'error' });
  const { message } = await world.unit('one/0');
  expect(message).toBe('hook failed: "config-changed"');
  await onMachine('rm /run/tmux/session');
  expect(await session).toMatchObject({ code: 0 });
  await world.grigri('resolved', 'one/0');
  await world.untilUnit('one/0', { agent: 'idle', message: 'x is 1' });
});

// The machine sees the programs of this host.
test.skipIf(['tmux', 'script'].some((name) => !existsSync(`/usr/bin/${name}`)))(
  'debug-hooks opens a window of a real tmux for the hook, whose tools and end are the hook’s',
  async () => {
    await onMachine('rm -f /usr/local/bin/tmux');
    const line = `${join(import.meta.dirname, '../../bin/grigri')} debug-hooks one/0 config-changed`;
    const terminal = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
      env: { ...process.env, JUJU_DATA: join(world.dir, 'client'), TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let seen = '';
    terminal.stdout.on('data', (piece: Buffer) => (seen += piece.toString()));
    const ends = once(terminal, 'exit');
    await world.until('the session', () =>
      Promise.resolve(seen.includes('Waiting for config-changed of one/0')),
    );
    await world.grigri('config', 'one', 'x=2');
    const windows = (): Promise<string> => onMachine('tmux list-windows -t =one/0 -F "#{window_name}"');
    await world.until('the window', async () => (await windows()).includes('config-changed'));
    const type = (text: string): Promise<string> =>
      onMachine(`tmux send-keys -t =one/0:config-changed '${text}' Enter`);
    await type('status-set active "by hand in $JUJU_HOOK_NAME, x is $(config-get x)"');
    await world.untilUnit('one/0', { message: 'by hand in config-changed, x is 2' });
    expect(await world.unit('one/0')).toMatchObject({ agent: 'executing' });
    await type('exit 0');
    await world.untilUnit('one/0', { agent: 'idle', message: 'by hand in config-changed, x is 2' });
    await onMachine('tmux kill-session -t =one/0');
    expect(await ends).toEqual([0, null]);
    await world.grigri('config', 'one', 'x=3');
    await world.untilUnit('one/0', { agent: 'idle', message: 'x is 3' });
  },
);
