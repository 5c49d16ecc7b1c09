import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { eventually } from '../../testing/eventually.ts';
import { openAuditFile, type AuditFile } from './open-audit-file.ts';

let folder: string;
let now = 0;
const errors: unknown[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-audit-'));
  now = Date.parse('2026-01-01T00:00:00Z');
  errors.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (
  path = join(folder, 'audit.log'),
  waitingBytesMax: number = limits.auditWaiting.max,
): AuditFile =>
  openAuditFile({ path, waitingBytesMax, now: () => (now += 1000), onError: (error) => errors.push(error) });
const texts = (): string[] => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
const large = { maxBytes: 1_000_000, backups: 2 };

test('audit lines are appended in order to the file of an earlier process', async () => {
  for (const lines of [['one', 'two'], ['three']]) {
    const file = open();
    for (const line of lines) expect(file.append(line, large)).toBe(true);
    await file.close();
  }
  const path = join(folder, 'audit.log');
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('audit lines are written soon without a call of writeNow, in order', async () => {
  const file = open();
  file.append('one', large);
  file.append('two', large);
  await eventually(() => expect(texts()).toEqual(['one\ntwo\n']));
  file.append('three', large);
  await eventually(() => expect(texts()).toEqual(['one\ntwo\nthree\n']));
  await file.close();
});

test('audit lines that wait are written at once by writeNow, and only once', async () => {
  const file = open();
  file.append('one', large);
  file.append('two', large);
  file.writeNow();
  expect(texts()).toEqual(['one\ntwo\n']);
  file.writeNow();
  await file.close();
  expect(texts()).toEqual(['one\ntwo\n']);
});

test('a full audit file is rotated, and the oldest rotated files are removed', async () => {
  const file = open();
  for (let i = 0; i < 5; i++) {
    file.append(`line ${i}`, { maxBytes: 5, backups: 2 });
    await file.close();
  }
  expect(readdirSync(folder)).toHaveLength(3);
  expect(readFileSync(join(folder, 'audit.log'), 'utf8')).toBe('line 4\n');
  const [older, newer] = readdirSync(folder).sort();
  expect([older, newer].map((name) => readFileSync(join(folder, name!), 'utf8'))).toEqual([
    'line 2\n',
    'line 3\n',
  ]);
});

test('an audit file that fills while it is open is rotated, with the lines that an earlier process wrote', async () => {
  for (const lines of [
    ['1', '2'],
    ['é', '4', '5'],
  ]) {
    const file = open();
    for (const line of lines) {
      file.append(line, { maxBytes: 7, backups: 2 });
      // Lines that come soon after each other are written together.
      await eventually(() => expect(texts().join('')).toContain(line));
    }
    await file.close();
  }
  expect(texts().sort()).toEqual(['1\n2\né\n', '4\n5\n']);
});

test('audit lines that cannot be written are reported, and the number of waiting lines is limited', async () => {
  const file = open(join(folder, 'nowhere', 'audit.log'), 10);
  expect(file.append('x'.repeat(20), large)).toBe(true);
  expect(file.append('too many', large)).toBe(false);
  await file.close();
  expect(errors).toMatchObject([{ code: 'ENOENT' }]);
  expect(file.append('x'.repeat(20), large)).toBe(true);
  file.writeNow();
  expect(errors).toMatchObject([{ code: 'ENOENT' }, { code: 'ENOENT' }]);
  await file.close();
});
