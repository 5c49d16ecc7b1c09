import { expect, test } from 'vitest';
import { splitCharmcraft } from './split-charmcraft.ts';

test('a charmcraft.yaml becomes the files of a packed charm', () => {
  const charmcraft = {
    type: 'charm',
    name: 'kv',
    title: 'Keys',
    summary: 's',
    description: 'd',
    links: { contact: 'ann@example.com', website: ['https://example.com'], documentation: 'https://d' },
    platforms: { 'debian@12:amd64': null },
    parts: { charm: {} },
    requires: { db: { interface: 'kv' } },
    config: { options: { port: { type: 'int', default: 1 } } },
    actions: { backup: {} },
  };
  expect(splitCharmcraft(charmcraft)).toEqual({
    'metadata.yaml': {
      name: 'kv',
      summary: 's',
      description: 'd',
      requires: { db: { interface: 'kv' } },
      'display-name': 'Keys',
      maintainers: ['ann@example.com'],
      docs: 'https://d',
      website: ['https://example.com'],
    },
    'config.yaml': { options: { port: { type: 'int', default: 1 } } },
    'actions.yaml': { backup: {} },
    'manifest.yaml': { bases: [{ name: 'debian', channel: '12/stable' }] },
  });
});

test('a charmcraft.yaml beside metadata.yaml becomes bases, config and actions only', () => {
  const charmcraft = {
    type: 'charm',
    bases: [
      {
        'build-on': [{ name: 'ubuntu', channel: '22.04' }],
        'run-on': [
          { name: 'ubuntu', channel: '20.04' },
          { name: 'ubuntu', channel: '22.04' },
        ],
      },
    ],
    config: { options: {} },
    actions: { backup: {} },
  };
  expect(splitCharmcraft(charmcraft)).toEqual({
    'config.yaml': { options: {} },
    'actions.yaml': { backup: {} },
    'manifest.yaml': {
      bases: [
        { name: 'ubuntu', channel: '20.04/stable' },
        { name: 'ubuntu', channel: '22.04/stable' },
      ],
    },
  });
});

test('a charmcraft.yaml with build instructions only becomes no files', () => {
  expect(splitCharmcraft({ type: 'charm', parts: {} })).toEqual({});
});
