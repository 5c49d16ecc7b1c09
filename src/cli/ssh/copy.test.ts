import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyArgv, type Side } from './copy.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-copy-'));
  mkdirSync(join(folder, 'from/dir'), { recursive: true });
  mkdirSync(join(folder, 'to'));
  writeFileSync(join(folder, "from/it's $HOME"), 'quoted');
  writeFileSync(join(folder, 'from/a.log'), 'a');
  writeFileSync(join(folder, 'from/b.log'), 'b');
  writeFileSync(join(folder, 'from/dir/.deep'), 'deep');
  chmodSync(join(folder, 'from/a.log'), 0o750);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Copies between two sides that are the test's own folder; one side is entered by a program, as a machine is. */
function copy(
  from: string,
  to: string,
  { recursive = false } = {},
): { readonly code: number | null; readonly error: string } {
  const side = (path: string): Side => ({ enter: ['env', 'ENTERED=1'], user: undefined, path });
  const [program = '', ...args] = copyArgv(side(from), side(to), { recursive });
  const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  return { code: status, error: stderr };
}
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const done = { code: 0, error: '' };

describe('a copy without ssh', () => {
  test('puts a file into a folder, with its mode', () => {
    expect(copy('from/a.log', 'to')).toEqual(done);
    expect(read('to/a.log')).toBe('a');
    expect(statSync(join(folder, 'to/a.log')).mode & 0o777).toBe(0o750);
  });
  test('gives a file a new name, or replaces an existing file', () => {
    expect(copy('from/a.log', 'to/new name')).toEqual(done);
    expect(copy(join(folder, 'from/b.log'), 'to/new name')).toEqual(done);
    expect(read('to/new name')).toBe('b');
  });
  test('takes a name that looks like an option of tar for a name', () => {
    writeFileSync(join(folder, 'from/--version'), 'a file');
    expect(copy('from/--version', 'to')).toEqual(done);
    expect(read('to/--version')).toBe('a file');
  });
  test('takes the contents of a folder into a new one', () => {
    expect(copy('from/dir/.', 'other', { recursive: true })).toEqual(done);
    expect(read('other/.deep')).toBe('deep');
  });
  test('takes special characters in names literally', () => {
    expect(copy("from/it's $HOME", 'to')).toEqual(done);
    expect(read("to/it's $HOME")).toBe('quoted');
  });
  test('expands patterns on the side of the files', () => {
    expect(copy('from/*.log', 'to/')).toEqual(done);
    expect([read('to/a.log'), read('to/b.log')]).toEqual(['a', 'b']);
    expect(copy('from/*.log', 'to/a.log')).toMatchObject({ code: 1 });
  });
  test('takes folders only when it is told to', () => {
    expect(copy('from/dir', 'to')).toMatchObject({
      error: expect.stringContaining('from/dir: not a regular file') as string,
    });
    expect(copy('from', 'to', { recursive: true })).toEqual(done);
    expect(copy('from', 'other', { recursive: true })).toEqual(done);
    expect([read('to/from/dir/.deep'), read('other/dir/.deep')]).toEqual(['deep', 'deep']);
  });
  test.each([
    ['from/none', 'to', 'from/none: No such file'],
    ['from/a.log', 'none/', 'none/: No such folder'],
    ['from/a.log', 'none/x', 'none'],
  ])('%s to %s fails: %s', (from, to, message) => {
    const { code, error } = copy(from, to);
    expect(code).not.toBe(0);
    expect(error).toContain(message);
  });
});

describe('a machine that this host copies from', () => {
  /** Copies from a machine whose tar is the test's own script. */
  function receive(tar: string, to: string, path = 'a.log'): { code: number | null; error: string } {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'bin/tar'), `#!/bin/sh\ncd from\n${tar}\n`, { mode: 0o755 });
    const enter = ['env', `PATH=${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`];
    const [program = '', ...args] = copyArgv(
      { enter, user: undefined, path: `from/${path}` },
      { enter: [], user: undefined, path: to },
      { recursive: true },
    );
    const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    return { code: status, error: stderr };
  }
  const real = '/usr/bin/env -u PATH /bin/tar';

  test('sends files that are stored in a folder, or under a new name', () => {
    expect(receive(`exec ${real} -cf - ./a.log`, 'to')).toEqual(done);
    expect(receive(`exec ${real} -cf - ./a.log`, 'to/new')).toEqual(done);
    expect(receive(`exec ${real} -cf - ./a.log ./b.log`, 'to', '*.log')).toEqual(done);
    expect(receive(`exec ${real} -cf - ./dir`, 'to', 'dir')).toEqual(done);
    expect([read('to/a.log'), read('to/new'), read('to/b.log')]).toEqual(['a', 'a', 'b']);
    expect(read('to/dir/.deep')).toBe('deep');
  });
  test.each(['to', 'to/new'])('is refused when it sends more than it was asked for: %s', (to) => {
    expect(receive(`exec ${real} -cf - ./a.log ./b.log ./dir`, to)).toMatchObject({ code: 1 });
    expect(() => read('to/b.log')).toThrow();
    expect(() => read('to/dir/.deep')).toThrow();
  });
  test('cannot leave a file that runs as its owner', () => {
    chmodSync(join(folder, 'from/a.log'), 0o4755);
    expect(receive(`exec ${real} -cpf - ./a.log`, 'to')).toEqual(done);
    expect(statSync(join(folder, 'to/a.log')).mode & 0o7777).toBe(0o755);
  });
});
