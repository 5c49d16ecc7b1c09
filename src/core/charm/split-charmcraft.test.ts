import { expect, test } from 'vitest';
import { splitCharmcraft } from './split-charmcraft.ts';

test('a charmcraft.yaml becomes the files that a packed charm has', () => {
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

test('one beside a metadata.yaml of its own becomes what only charmcraft.yaml says: bases, config, actions', () => {
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

test('one that only says how to build becomes nothing', () => {
  expect(splitCharmcraft({ type: 'charm', parts: {} })).toEqual({});
});
