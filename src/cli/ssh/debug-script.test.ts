import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { namesToCatch } from './debug-names.ts';
import { debugCommand } from './debug-script.ts';

describe('names to catch', () => {
  const meta = {
    name: 'app',
    summary: '',
    description: '',
    subordinate: false,
    requires: {
      db: { name: 'db', role: 'requirer', interface: 'sql', optional: false, limit: 0, scope: 'global' },
    },
    'min-juju-version': '0.0.0',
  } as const;
  const charm = { meta, actions: { specs: { backup: { description: '', params: {} } } } };

  test.each([
    [[], []],
    [['*', 'whatever'], []],
    [
      ['backup', 'install', 'db-relation-joined', 'juju-info-relation-broken', 'install'],
      ['backup', 'install', 'db-relation-joined', 'juju-info-relation-broken'],
    ],
  ])('%j are %j', (names, caught) => {
    expect(namesToCatch('app/0', charm, names)).toEqual(caught);
  });
  test('a name that is neither hook nor action is refused', () => {
    expect(() => namesToCatch('app/0', charm, ['start', 'web-relation-joined'])).toThrow(
      /^unit "app\/0" contains neither hook nor action "web-relation-joined", valid actions are \[backup\] and valid hooks are \[config-changed db-relation-broken .*update-status upgrade-charm\]$/,
    );
  });
});

/** The script needs locks of the real flock. */
const hasFlock = spawnSync('flock', ['-h']).status === 0;

describe.skipIf(!hasFlock)('on the machine', () => {
  let dir: string;
  const running: ChildProcess[] = [];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'debug-'));
    // This tmux has sessions that last until the test ends them.
    writeFileSync(
      join(dir, 'tmux'),
      `#!/bin/sh
echo "$@" >>${dir}/calls
case $1 in
  attach-session) until [ -e ${dir}/leave ]; do sleep 0.05; done ;;
esac
`,
      { mode: 0o755 },
    );
  });
  afterEach(async () => {
    for (const child of running.splice(0))
      if (child.exitCode === null && child.signalCode === null) {
        writeFileSync(join(dir, 'leave'), '');
        await once(child, 'exit');
      }
    rmSync(dir, { recursive: true });
  });

  const file = (): string => join(dir, 'juju-unit-web-0-debug-hooks');
  const calls = (): string => readFileSync(join(dir, 'calls'), 'utf8');
  const start = (): { child: ChildProcess; said: () => string } => {
    const command = debugCommand({ unit: 'web/0', names: ['install', 'backup'], at: 'hook' });
    const child = spawn('sh', ['-c', command], {
      env: { PATH: `${dir}:${process.env['PATH']}`, GRIGRI_INSTANCE: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    return { child, said: () => said };
  };
  const attached = (): Promise<void> =>
    eventually(() => expect(calls()).toContain('attach-session -t =web/0'));
  const isHeld = (path: string): boolean => spawnSync('flock', ['-n', path, 'true']).status !== 0;

  test('the session writes down the hooks to catch and holds both locks until it is left', async () => {
    const { child } = start();
    await attached();
    expect(readFileSync(file(), 'utf8')).toBe('hooks: ["install","backup"]\ndebug-at: "hook"\n');
    expect([isHeld(file()), isHeld(`${file()}-exit`)]).toEqual([true, true]);
    expect(calls()).toContain('new-session -d -s web/0 -n web/0');
    const second = start();
    await once(second.child, 'exit');
    expect(second.said()).toBe('joining the debug session of web/0\n');
    expect(calls()).toContain('new-session -t =web/0 ; set-option destroy-unattached on');
    expect(isHeld(file())).toBe(true);
    writeFileSync(join(dir, 'leave'), '');
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    expect(calls()).toContain('kill-session -t =web/0');
    expect([isHeld(file()), isHeld(`${file()}-exit`)]).toEqual([false, false]);
    expect(readFileSync(file(), 'utf8')).toBe('');
  });

  test('a file that is a link is not written', async () => {
    symlinkSync(join(dir, 'elsewhere'), file());
    const { child, said } = start();
    await once(child, 'exit');
    expect(child.exitCode).toBe(1);
    expect(said()).toContain('belongs to somebody else');
    expect(existsSync(join(dir, 'elsewhere'))).toBe(false);
  });
});
