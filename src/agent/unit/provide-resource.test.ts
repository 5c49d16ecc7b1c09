import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import { createLocks, type Locks } from '../../kit/locks.ts';
import { unitPaths, type UnitPaths } from '../paths.ts';
import { provideResource, type FetchResource, type UnitResource } from './provide-resource.ts';

let dir: string;
let paths: UnitPaths;
/** First byte that was asked for, for each download. */
let asked: number[];
let locks: Locks;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'grigri-resource-'));
  paths = unitPaths(dir, 'web/0');
  asked = [];
  locks = createLocks();
});
afterEach(() => rm(dir, { recursive: true }));

const content = 'a rather long content of a resource';
const of = (text: string): UnitResource => ({
  name: 'blob',
  path: 'blob.tgz',
  fingerprint: createHash('sha384').update(text).digest('hex'),
  size: Buffer.byteLength(text),
});

/**
 * Sends the text, but breaks off after as many bytes as the next of `cuts` says; a piece before the break is reported
 * but not sent.
 */
function from(text: string, cuts: readonly number[] = []): FetchResource {
  const left = [...cuts];
  return async (_resource, { file, from: first, onPiece }) => {
    asked.push(first);
    const cut = left.shift();
    const sent = Buffer.from(text).subarray(first, cut === undefined ? undefined : first + cut);
    onPiece(sent);
    await appendFile(file, sent);
    if (cut === undefined) return;
    onPiece(Buffer.from('told and never written'));
    throw new Error('the connection broke');
  };
}

function provide(fetch: FetchResource, resource = of(content)): Promise<string> {
  const clock = { sleep: () => Promise.resolve() };
  return provideResource(
    { paths, unit: 'web/0', fetch, clock, random: () => 0.5, locks },
    resource,
    new AbortController().signal,
  );
}

const parts = async (): Promise<string[]> =>
  (await readdir(join(paths.stateDir, 'resources'))).filter((name) => name.endsWith('.part'));

test('a resource is fetched once and keeps its name', async () => {
  const file = join(dir, 'agents/unit-web-0/resources/blob/blob.tgz');
  expect(await provide(from(content))).toBe(file);
  expect(await readFile(file, 'utf8')).toBe(content);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await provide(from(content))).toBe(file);
  expect(asked).toEqual([0]);
  expect(await parts()).toEqual([]);
});

test('a download that breaks goes on where it was', async () => {
  const file = await provide(from(content, [5, 0, 7]));
  expect(await readFile(file, 'utf8')).toBe(content);
  expect(asked).toEqual([0, 5, 5, 12]);
});

test('a download goes on after the agent was killed', async () => {
  await expect(provide(from(content, [9, ...Array.from({ length: 9 }, () => 0)]))).rejects.toThrow(
    'the connection broke',
  );
  asked = [];
  expect(await readFile(await provide(from(content)), 'utf8')).toBe(content);
  expect(asked).toEqual([9]);
});

test('a new content replaces the file, and the partial download of another content is removed', async () => {
  const file = await provide(from(content));
  await expect(
    provide(from('third', [2, ...Array.from({ length: 9 }, () => 0)]), of('third')),
  ).rejects.toThrow();
  expect(await parts()).toHaveLength(1);
  expect(await provide(from('second'), of('second'))).toBe(file);
  expect(await readFile(file, 'utf8')).toBe('second');
  expect(await parts()).toEqual([]);
});

test('a file that the charm changed is fetched anew, one that was only touched is not', async () => {
  const file = await provide(from(content));
  await writeFile(file, content);
  await provide(from(content));
  expect(asked).toEqual([0]);
  await writeFile(file, content.replace('a', 'b'));
  expect(await readFile(await provide(from(content)), 'utf8')).toBe(content);
  expect(asked).toEqual([0, 0]);
});

test('a content with another fingerprint is refused and leaves nothing', async () => {
  const wrong = content.replace('a', 'b');
  await expect(provide(from(wrong))).rejects.toMatchObject({ code: 'not valid' });
  expect(await parts()).toEqual([]);
  await expect(stat(join(paths.resourcesDir, 'blob/blob.tgz'))).rejects.toThrow('ENOENT');
});

test('a download that the controller refuses is not tried again', async () => {
  const refused = (): Promise<never> => {
    asked.push(0);
    return Promise.reject(new JujuError('not found', 'gone'));
  };
  await expect(provide(refused)).rejects.toThrow('gone');
  expect(asked).toEqual([0]);
});

test('names of resources that are paths stay within the folder', async () => {
  const sly = { ...of(content), name: '../../up', path: '../../../etc/passwd' };
  expect(await provide(from(content), sly)).toBe(join(paths.resourcesDir, 'up/passwd'));
});

test('an empty resource is a file, too', async () => {
  expect(await readFile(await provide(from(''), of('')), 'utf8')).toBe('');
  expect(asked).toEqual([]);
});

test('a hook and an action that ask at the same time get one file, fetched once', async () => {
  const slow: FetchResource = async (_resource, { file, from: first, onPiece }) => {
    asked.push(first);
    for (const byte of Buffer.from(content).subarray(first)) {
      const piece = Buffer.of(byte);
      onPiece(piece);
      await appendFile(file, piece);
    }
  };
  const [file, same] = await Promise.all([provide(slow), provide(slow)]);
  expect(same).toBe(file);
  expect(await readFile(file, 'utf8')).toBe(content);
  expect(asked).toEqual([0]);
});
