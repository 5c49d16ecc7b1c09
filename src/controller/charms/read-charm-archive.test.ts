import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeZip, type ZipEntry } from '../../testing/zip.ts';
import { openArchive } from '../../kit/archive.ts';
import { readCharmArchive } from './read-charm-archive.ts';
import { repack } from './repack.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'grigri-charms-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

let number = 0;
async function write(content: Buffer | readonly ZipEntry[]): Promise<string> {
  const path = join(folder, `${++number}.charm`);
  await writeFile(path, Buffer.isBuffer(content) ? content : makeZip(content as readonly ZipEntry[]));
  return path;
}

const metadata = { name: 'metadata.yaml', content: 'name: kv\nsummary: s\ndescription: d\n' };
const hook = { name: 'hooks/install', content: '#!/bin/sh\n', mode: 0o100755 };

describe('a charm', () => {
  it('a charm archive is described by its files', async () => {
    const charm = await readCharmArchive(
      await write([
        metadata,
        { name: 'hooks/' },
        hook,
        {
          name: 'config.yaml',
          content: 'options:\n  port: {type: int, default: 8080}\n  tls: {type: boolean, default: yes}\n',
        },
        { name: 'actions.yaml', content: 'dump: {description: Dumps.}\n' },
        {
          name: 'manifest.yaml',
          content: 'bases:\n- {name: ubuntu, channel: "24.04", architectures: [amd64]}\n',
        },
        { name: 'version', content: 'revision-id: v1.2-g123\nmore\n' },
        { name: 'revision', content: '7\n' },
      ]),
    );
    expect(charm).toMatchObject({
      charm: {
        meta: { name: 'kv' },
        config: { port: { default: 8080 }, tls: { default: true } },
        actions: { dump: { description: 'Dumps.' } },
        bases: [{ name: 'ubuntu' }],
      },
      version: 'v1.2-g123',
      revision: 7,
      folder: '',
    });
  });

  it.each([
    ['{params: {a: {type: str}}}', 'bad request', 'properties.a.type: expected one of array, boolean'],
    ['{params: {a: {pattern: "(?=a)"}}}', 'bad request', 'properties.a.pattern: invalid pattern "(?=a)"'],
    ['{params: {a: {$ref: "http://a.example/b"}}}', 'bad request', 'schema key "$ref" not compatible'],
    [
      '{params: {a: {pattern: "(?:abc){999}"}}}',
      'quota limit exceeded',
      'properties.a.pattern: pattern with',
    ],
  ])('a charm whose action has the schema %s is refused', async (schema, code, message) => {
    const path = await write([metadata, hook, { name: 'actions.yaml', content: `dump: ${schema}\n` }]);
    await expect(readCharmArchive(path)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(`invalid params schema for action schema dump: ${message}`) as string,
    });
  });

  it('the charmcraft.yaml from which a charm was packed is ignored', async () => {
    const content = 'name: other\ntype: charm\nconfig:\n  options:\n    port: {type: int, default: 1}\n';
    const charmcraft = { name: 'charmcraft.yaml', content };
    const { charm } = await readCharmArchive(await write([metadata, charmcraft, hook]));
    expect(charm.meta.name).toBe('kv');
    expect(charm.config).toEqual({});
    await expect(readCharmArchive(await write([charmcraft, hook]))).rejects.toThrow('no metadata.yaml');
  });

  it('a charm may be in a folder, from where it is repacked', async () => {
    const path = await write([
      { name: 'kv/' },
      { ...metadata, name: 'kv/metadata.yaml' },
      { ...hook, name: 'kv/hooks/install' },
      { name: 'kv/hooks/start', content: 'install', mode: 0o120777 },
      { name: 'README', content: 'outside' },
    ]);
    expect((await readCharmArchive(path)).folder).toBe('kv');
    const to = join(folder, 'repacked.charm');
    await repack({ from: path, folder: 'kv', to });
    expect(await readCharmArchive(to)).toMatchObject({ folder: '', charm: { meta: { name: 'kv' } } });
    const archive = await openArchive(to);
    expect([...archive.entries.values()].map(({ path, kind, mode }) => [path, kind, mode])).toEqual([
      ['metadata.yaml', 'file', 0o644],
      ['hooks/install', 'file', 0o755],
      ['hooks/start', 'symlink', 0o777],
    ]);
    archive.close();
  });

  it('a charm may have links within itself', async () => {
    const path = await write([
      metadata,
      hook,
      { name: 'hooks/start', content: 'install', mode: 0o120777 },
      { name: 'hooks/stop', content: '../hooks/./install', mode: 0o120777 },
    ]);
    expect((await readCharmArchive(path)).charm.meta.name).toBe('kv');
  });
});

describe('a charm archive is refused', () => {
  const link = (name: string, target: string): ZipEntry => ({ name, content: target, mode: 0o120777 });
  it.each<[string, Buffer | readonly ZipEntry[], RegExp]>([
    ['what is no zip', Buffer.from('no zip'), /cannot read archive/],
    ['nothing', Buffer.alloc(0), /cannot read archive/],
    ['a zip cut short', makeZip([metadata, hook]).subarray(0, 60), /cannot read archive/],
    ['a zip without a charm', [hook], /no metadata.yaml/],
    ['metadata too deep', [{ ...metadata, name: 'a/b/metadata.yaml' }], /no metadata.yaml/],
    [
      'metadata that is a link',
      [link('metadata.yaml', 'other.yaml'), { ...metadata, name: 'other.yaml' }],
      /no metadata.yaml/,
    ],
    [
      'two charms',
      [
        { ...metadata, name: 'a/metadata.yaml' },
        { ...metadata, name: 'b/metadata.yaml' },
      ],
      /more than one/,
    ],
    ['metadata that is no YAML', [{ ...metadata, content: 'a: [' }], /metadata.yaml: /],
    ['metadata without a name', [{ ...metadata, content: 'summary: x' }], /metadata: name/],
    [
      'an unknown option type',
      [metadata, { name: 'config.yaml', content: 'options: {a: {type: list}}' }],
      /unknown type/,
    ],
    ['a YAML bomb', [{ ...metadata, content: yamlBomb() }], /metadata.yaml: /],
    [
      'metadata of a megabyte',
      [{ ...metadata, content: `name: kv\n#${'x'.repeat(1024 * 1024)}` }],
      /more than the/,
    ],
    ['a way up', [metadata, { name: '../evil', content: 'x' }], /invalid/],
    ['a way up in the middle', [metadata, { name: 'a/../../evil', content: 'x' }], /invalid/],
    ['an absolute path', [metadata, { name: '/etc/passwd', content: 'x' }], /absolute|invalid/],
    ['a drive', [metadata, { name: 'C:/evil', content: 'x' }], /absolute|invalid/],
    ['a backslash', [metadata, { name: '..\\evil', content: 'x' }], /invalid/],
    ['a NUL', [metadata, { name: 'a\0b', content: 'x' }], /invalid path/],
    ['a name that is there twice', [metadata, metadata], /twice/],
    [
      'a name that is there twice when written differently',
      [metadata, { name: 'a/b' }, { name: 'a//b' }],
      /twice/,
    ],
    ['a link to an absolute path', [metadata, link('l', '/etc/passwd')], /leads out/],
    ['a link upwards', [metadata, link('l', '../x')], /leads out/],
    ['a link upwards from a folder', [metadata, link('a/l', '../../x')], /leads out/],
    [
      'a link that climbs through another',
      [metadata, { name: 'd/' }, link('d/l', '.'), link('k', 'd/l/../..')],
      /leads out/,
    ],
    ['an empty link', [metadata, link('l', '')], /leads out/],
    [
      'a file below a link',
      [metadata, link('l', 'hooks'), { name: 'l/evil', content: 'x' }],
      /lies below the symlink/,
    ],
    ['a file below a file', [metadata, { name: 'f' }, { name: 'f/evil' }], /lies below the file/],
    ['a device', [metadata, { name: 'dev', mode: 0o020666 }], /neither a file/],
    ['a fifo', [metadata, { name: 'fifo', mode: 0o010666 }], /neither a file/],
    [
      'more than it says',
      [metadata, { name: 'f', content: 'x'.repeat(1000), claimedSize: 10 }],
      /cannot read|too many bytes/,
    ],
    [
      'less than it says',
      [metadata, { name: 'f', content: 'x', claimedSize: 1000 }],
      /cannot read|not enough bytes/,
    ],
  ])('%s', async (_name, content, message) => {
    await expect(readCharmArchive(await write(content))).rejects.toThrow(
      expect.objectContaining({ code: 'bad request', message: expect.stringMatching(message) as unknown }),
    );
  });

  it('an archive that unpacks to more than the limit is refused', async () => {
    const path = await write([metadata, { name: 'zeros', content: Buffer.alloc(200_000) }]);
    await expect(readCharmArchive(path, { entries: 10, unpackedBytes: 100_000 })).rejects.toThrow(
      'unpacked archive: ',
    );
  });

  it('an archive with more entries than the limit is refused', async () => {
    const path = await write([metadata, ...Array.from({ length: 11 }, (_, i) => ({ name: `f${i}` }))]);
    await expect(readCharmArchive(path, { entries: 10, unpackedBytes: 100_000 })).rejects.toThrow(
      'files in an archive: 12 entries exceed the limit of 10',
    );
  });
});

function yamlBomb(): string {
  let text = 'a0: &a0 [x,x,x,x,x,x,x,x,x]\n';
  for (let i = 1; i < 9; i++)
    text += `a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(',')}]\n`;
  return `${text}name: kv\n`;
}
