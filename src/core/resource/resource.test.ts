import { describe, expect, test } from 'vitest';
import { parseMetadata } from '../charm/metadata.ts';
import { limits } from '../limits.ts';
import { readImageDetails } from './image-details.ts';
import { checkExtension, shownResource } from './shown.ts';

const declared = parseMetadata({
  name: 'web',
  resources: {
    blob: { filename: 'blob.tar.gz', description: 'bytes' },
    image: { type: 'oci-image' },
    bare: { type: 'file', filename: 'bare' },
  },
}).resources;

test('a resource without content has only the values that the charm declares', () => {
  expect(shownResource(declared, { application: 'web', name: 'blob' }, undefined)).toEqual({
    application: 'web',
    name: 'blob',
    type: 'file',
    path: 'blob.tar.gz',
    description: 'bytes',
    origin: 'upload',
    revision: 0,
    fingerprint: '',
    size: 0,
    username: '',
    timestamp: '',
  });
  expect(() => shownResource(declared, { application: 'web', name: 'toString' }, undefined)).toThrow(
    'resource "toString" not found',
  );
});

test.each([
  ['blob', 'x.gz', undefined],
  ['blob', '/tmp/x.y.gz', undefined],
  ['blob', 'x.zip', 'incorrect extension on resource upload "x.zip", expected ".gz"'],
  ['blob', 'x', 'incorrect extension on resource upload "x", expected ".gz"'],
  ['blob', '', undefined],
  ['bare', 'x', undefined],
  ['bare', 'x.y', 'incorrect extension on resource upload "x.y", expected ""'],
  ['image', 'x.yaml', undefined],
])('resource %s may be sent as "%s": %s', (name, file, message) => {
  const check = (): void => checkExtension(file, declared[name]!);
  if (message === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(message);
});

describe('parseMetadata', () => {
  const long = 'x'.repeat(limits.resourceName.max + 1);
  test.each([
    [{ a: { type: 'file' } }, 'metadata: resources.a: resource missing filename'],
    [{ a: { filename: 'b/c' } }, 'metadata: resources.a.filename: filename cannot contain "/" (got "b/c")'],
    [{ a: { filename: '..' } }, 'metadata: resources.a.filename: filename cannot contain "/" (got "..")'],
    [{ '..': { filename: 'b' } }, 'metadata: resources...: invalid resource name ".."'],
    [{ 'a/b': { filename: 'b' } }, 'invalid resource name "a/b"'],
    [{ 'a\0': { filename: 'b' } }, 'invalid resource name'],
    [{ [long]: { filename: 'b' } }, 'invalid resource name'],
  ])('parseMetadata refuses the resources %j', (resources, message) => {
    expect(() => parseMetadata({ name: 'web', resources })).toThrow(message);
  });
});

test('an OCI image resource is described by its path and a login', () => {
  expect(readImageDetails({ registrypath: 'a/b', username: 'u', password: 'p' })).toEqual({
    registrypath: 'a/b',
    username: 'u',
    password: 'p',
  });
  expect(readImageDetails({ RegistryPath: 'a/b' }).registrypath).toBe('a/b');
  expect(() => readImageDetails({ username: 'u' })).toThrow('registrypath: expected string, got nothing');
});
