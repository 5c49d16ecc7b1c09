import { lstat, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeZip } from '../../testing/zip.ts';
import { unpackCharm } from './unpack.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grigri-unpack-'));
});
afterEach(() => rm(dir, { recursive: true }));

const link = (text: string): { text: string; mode: number } => ({ text, mode: 0o120777 });
const archive = (): string => join(dir, 'a.charm');
const target = (): string => join(dir, 'charm');

test('unpacked charms have their files, modes and inner symlinks', async () => {
  await writeZip(archive(), {
    'metadata.yaml': 'name: a\n',
    'hooks/install': { text: '#!/bin/sh\n', mode: 0o104755 },
    'hooks/start': link('install'),
    'lib/up': link('../hooks/install'),
  });
  const files = await unpackCharm(archive(), target());
  expect(files).toEqual(['hooks/install', 'hooks/start', 'lib/up', 'metadata.yaml']);
  expect((await lstat(join(target(), 'hooks/install'))).mode & 0o7777).toBe(0o755);
  expect(await readlink(join(target(), 'hooks/start'))).toBe('install');
  expect(await readFile(join(target(), 'lib/up'), 'utf8')).toBe('#!/bin/sh\n');
});

test.each([
  { name: 'a link to a folder outside', content: { x: link('../..') } },
  { name: 'an absolute link', content: { x: link('/etc/passwd') } },
  { name: 'a link that climbs through another', content: { 'd/x': link('..'), y: link('d/x/../z') } },
  { name: 'a file below a link', content: { d: link('hooks'), 'd/x': 'text' } },
  { name: 'a link below a link', content: { d: link('hooks'), 'd/x': link('y') } },
])('$name is refused', async ({ content }) => {
  await writeZip(archive(), content);
  await expect(unpackCharm(archive(), target())).rejects.toMatchObject({ code: 'not valid' });
});

test.each(['../escaped', '/escaped', 'a/../../escaped'])('a file called %s is refused', async (name) => {
  // yazl refuses such names itself, so a harmless one of the same length is replaced in the bytes.
  const harmless = 'h'.repeat(name.length);
  await writeZip(archive(), { [harmless]: 'text' });
  const bytes = (await readFile(archive())).toString('latin1').replaceAll(harmless, name);
  await writeFile(archive(), bytes, 'latin1');
  await expect(unpackCharm(archive(), target())).rejects.toMatchObject({ code: 'not valid' });
  await expect(lstat(join(dir, 'escaped'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a file that is not an archive is refused', async () => {
  await writeFile(archive(), 'hello');
  await expect(unpackCharm(archive(), target())).rejects.toMatchObject({ code: 'not valid' });
});

test('a hook is executable although its archive has no modes', async () => {
  await writeZip(archive(), { 'hooks/install': { text: '#!/bin/sh\n', mode: 0o100644 }, 'lib/a.sh': 'x' });
  await unpackCharm(archive(), target());
  const modes = await Promise.all(
    ['hooks/install', 'lib/a.sh'].map(async (name) => (await lstat(join(target(), name))).mode & 0o777),
  );
  expect(modes.map((mode) => mode & 0o100)).toEqual([0o100, 0]);
});
