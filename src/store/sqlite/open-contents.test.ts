import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openContents } from './open-contents.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-contents-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const onDisk = (text: string): boolean =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));

test('contents outlive the process and are private, and erased contents are in no file any more', () => {
  const path = join(folder, 'secrets.db');
  const long = 'long-needle-'.repeat(20_000);
  const first = openContents(path);
  first.put([
    { key: 'a', sealed: 'short-needle' },
    { key: 'b', sealed: long },
  ]);
  first.put([{ key: 'a', sealed: 'another' }]);
  expect(first.get('a'), 'a key keeps what it has').toBe('short-needle');
  first.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);

  const second = openContents(path);
  expect(second.keys()).toEqual(['a', 'b']);
  expect([second.keys('b'), second.keys('c')]).toEqual([['b'], []]);
  expect(second.get('b')).toBe(long);
  expect(onDisk('long-needle')).toBe(true);
  second.erase(['a', 'b', 'c']);
  expect(second.get('a')).toBeUndefined();
  expect(onDisk('needle')).toBe(false);
  second.close();
  expect(onDisk('needle')).toBe(false);
});
