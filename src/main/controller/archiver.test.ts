import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ArchiveRequest } from '../../controller/backups/archive.ts';
import { eventually } from '../../testing/eventually.ts';
import { startArchiver } from './archiver.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-archiver-'));
  mkdirSync(join(folder, 'staging'));
  writeFileSync(join(folder, 'list'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

const request = (): ArchiveRequest => ({
  path: join(folder, 'archive'),
  staging: join(folder, 'staging'),
  databases: [],
  list: join(folder, 'list'),
  blobsDir: folder,
});

/** Number of processes that this one has started, and which have not ended. */
const running = (): number => process.getActiveResourcesInfo().filter((one) => one === 'ProcessWrap').length;

test('an archiver whose backup fails before it has anything to do ends', async () => {
  const before = running();
  {
    using archiver = startArchiver(new AbortController().signal);
    expect(archiver).toBeDefined();
    expect(running()).toBe(before + 1);
  }
  await eventually(() => expect(running()).toBe(before));
});

test('an archiver ends with its controller’s signal, also before it is told what to make', async () => {
  const before = running();
  const stopping = new AbortController();
  using archiver = startArchiver(stopping.signal);
  stopping.abort(new Error('the controller stops'));
  await eventually(() => expect(running()).toBe(before));
  await expect(archiver.make(request(), () => undefined)).rejects.toThrow(/aborted|ended early/);
  expect(() => startArchiver(stopping.signal)).toThrow('the controller stops');
  expect(readdirSync(folder)).toEqual(['list', 'staging']);
});

test('an archiver tells why it made no archive', async () => {
  using archiver = startArchiver(new AbortController().signal);
  const made = archiver.make(request(), () => undefined);
  await expect(made).rejects.toThrow('juju-backup/metadata.json is not in the backup');
});
