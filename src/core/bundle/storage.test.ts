import { expect, test } from 'vitest';
import type { ApplicationDoc } from '../application/document.ts';
import { differentStorage, formatStorage, storageOf } from './storage.ts';

const wish = { provider: 'local', detachable: true };

test('an exported application has directives for the storage that each unit gets', () => {
  const storage = {
    logs: { ...wish, pool: 'rootfs', size: 1024, count: 0 },
    data: { ...wish, pool: 'local', size: 10_240, count: 2 },
  };
  const shown = storageOf({ storage } as unknown as ApplicationDoc);
  expect(formatStorage(shown.storage)).toEqual({ data: 'local,2,10240M' });
  expect(storageOf({} as ApplicationDoc)).toEqual({});
});

test.each([
  [{ data: { pool: 'local', count: 1 } }, { data: { pool: 'local', count: 1, size: 1024 } }, []],
  [{ data: { pool: 'local', size: 2048 } }, { data: { pool: 'local', count: 1, size: 1024 } }, ['data']],
  [{ data: { count: 2 } }, { data: { pool: 'local', count: 1, size: 1024 } }, ['data']],
  [{ data: { count: 1 } }, {}, ['data']],
  [{}, { data: { pool: 'local', count: 1 } }, []],
])('directives %j differ from %j in %j', (wanted, has, names) => {
  expect(Object.keys(differentStorage(wanted, has))).toEqual(names);
});
