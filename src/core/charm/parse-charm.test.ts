import { expect, test } from 'vitest';
import { formatBases } from '../base.ts';
import { parseCharm } from './parse-charm.ts';

test('a packed charm is read from separate files', () => {
  const charm = parseCharm({
    'metadata.yaml': { name: 'kv' },
    'config.yaml': { options: { port: { type: 'int', default: 1 } } },
    'actions.yaml': { dump: {} },
    'manifest.yaml': { bases: [{ name: 'ubuntu', channel: '24.04' }] },
  });
  expect(charm.meta.name).toBe('kv');
  expect(charm.config).toHaveProperty('port');
  expect(charm.actions).toHaveProperty('dump');
  expect(formatBases(charm.bases)).toBe('ubuntu@24.04');
});

test('a source charm is read from charmcraft.yaml', () => {
  const charm = parseCharm({
    'charmcraft.yaml': {
      name: 'kv',
      type: 'charm',
      base: 'ubuntu@24.04',
      config: { options: { port: { type: 'int', default: 1 } } },
      actions: { dump: {} },
    },
  });
  expect(Object.keys({ ...charm.config, ...charm.actions })).toEqual(['port', 'dump']);
  expect(formatBases(charm.bases)).toBe('ubuntu@24.04');
});

test('a charm with metadata.yaml is read beside a charmcraft.yaml with build instructions only', () => {
  const charm = parseCharm({
    'metadata.yaml': { name: 'kv' },
    'charmcraft.yaml': { type: 'charm', bases: [{ name: 'debian', channel: '12' }] },
  });
  expect(charm.meta.name).toBe('kv');
  expect(formatBases(charm.bases)).toBe('debian@12');
});

test.each([
  [{}, 'charm has no metadata: it has neither metadata.yaml nor charmcraft.yaml'],
  [{ 'metadata.yaml': null }, 'charm has no metadata: it has neither metadata.yaml nor charmcraft.yaml'],
  [{ 'metadata.yaml': 'x' }, 'metadata: expected a map'],
  [{ 'charmcraft.yaml': 'x' }, 'charmcraft.yaml: expected a map, got "x"'],
])('a charm with the files %j is refused', (files, message) => {
  expect(() => parseCharm(files)).toThrow(expect.objectContaining({ code: 'not valid', message }));
});
