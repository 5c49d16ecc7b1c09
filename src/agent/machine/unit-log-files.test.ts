import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogRecord } from '../../kit/log.ts';
import { UnitLogFiles } from './unit-log-files.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'grigri-logs-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const record = (message: string): LogRecord => ({
  time: '2026-01-01T10:00:00.000Z',
  level: 'INFO',
  module: 'unit.web/0.install',
  message,
});
const line = (message: string): string => `2026-01-01 10:00:00 INFO unit.web/0.install ${message}\n`;
const read = (name: string): string => readFileSync(join(dir, name), 'utf8');

/** Returns the number of the administrators' group; without that group, root's own. */
function groupOfAdministrators(): number {
  const line = spawnSync('getent', ['group', 'adm'], { encoding: 'utf8' }).stdout;
  return line === '' ? 0 : Number(line.split(':')[2]);
}

test('each unit has a file, which only root and administrators can read', () => {
  const files = new UnitLogFiles(dir);
  expect(files.add('unit-web-0', record('one'))).toBe(true);
  expect(files.add('unit-db-1', record('two\nlines\x07'))).toBe(true);
  expect(files.add('unit-web-0', record('three'))).toBe(true);
  expect(readdirSync(dir).toSorted()).toEqual(['unit-db-1.log', 'unit-web-0.log']);
  expect(read('unit-web-0.log')).toBe(line('one') + line('three'));
  expect(read('unit-db-1.log')).toBe(line('two\n    lines\\u0007'));
  const { mode, gid } = statSync(join(dir, 'unit-web-0.log'));
  expect(mode & 0o777).toBe(0o640);
  expect(gid).toBe(process.getuid!() === 0 ? groupOfAdministrators() : process.getgid!());
});

test('a record that is not a unit’s is left to the machine’s log', () => {
  expect(new UnitLogFiles(dir).add('machine-0', record('x'))).toBe(false);
  expect(readdirSync(dir)).toEqual([]);
});

test('a log file that is full becomes the older one, also after a restart, and two files are kept', () => {
  const max = line('000').length * 3;
  for (let n = 100; n < 120; n++)
    expect(new UnitLogFiles(dir, max).add('unit-web-0', record(`${n}`))).toBe(true);
  const files = new UnitLogFiles(dir, max);
  for (let n = 120; n < 140; n++) files.add('unit-web-0', record(`${n}`));
  expect(readdirSync(dir).toSorted()).toEqual(['unit-web-0.log', 'unit-web-0.log.1']);
  expect(read('unit-web-0.log.1') + read('unit-web-0.log')).toBe(
    ['136', '137', '138', '139'].map(line).join(''),
  );
  // One record may be longer than a file.
  expect(files.add('unit-web-0', record('x'.repeat(1000)))).toBe(true);
  expect(read('unit-web-0.log')).toBe(line('x'.repeat(1000)));
});

test('a folder of logs that does not exist raises no error, and is not created', () => {
  const files = new UnitLogFiles(join(dir, 'nowhere'));
  expect(files.add('unit-web-0', record('one'))).toBe(false);
  expect(existsSync(join(dir, 'nowhere'))).toBe(false);
});
