import { expect, test } from 'vitest';
import { formatBases } from '../base.ts';
import { parseBases } from './bases.ts';

test.each<[string, unknown, unknown, string]>([
  [
    'a manifest',
    { bases: [{ name: 'ubuntu', channel: '22.04/stable', architectures: ['amd64'] }] },
    {},
    'ubuntu@22.04',
  ],
  [
    'a manifest over the metadata',
    { bases: [{ name: 'ubuntu', channel: '22.04' }] },
    { series: ['focal'] },
    'ubuntu@22.04',
  ],
  [
    'one base per architecture',
    {
      bases: [
        { name: 'ubuntu', channel: '22.04' },
        { name: 'ubuntu', channel: '22.04' },
      ],
    },
    {},
    'ubuntu@22.04',
  ],
  ['series', undefined, { series: ['jammy', 'precise', 'focal'] }, 'ubuntu@22.04, ubuntu@20.04'],
  ['a single base', undefined, { base: 'ubuntu@24.04' }, 'ubuntu@24.04'],
  ['short bases', undefined, { bases: [{ name: 'debian', channel: 12 }] }, 'debian@12'],
  [
    'long bases',
    undefined,
    {
      bases: [
        {
          'build-on': [{ name: 'ubuntu', channel: '20.04' }],
          'run-on': [{ name: 'ubuntu', channel: '22.04' }],
        },
      ],
    },
    'ubuntu@22.04',
  ],
  [
    'platforms by name',
    undefined,
    { platforms: { 'ubuntu@22.04:amd64': null, 'ubuntu@24.04:amd64': null } },
    'ubuntu@22.04, ubuntu@24.04',
  ],
  [
    'platforms built for',
    undefined,
    { platforms: { jammy: { 'build-on': 'x', 'build-for': ['ubuntu@22.04:all'] } } },
    'ubuntu@22.04',
  ],
  [
    'platforms of architectures beside a base',
    undefined,
    { base: 'ubuntu@24.04', platforms: { amd64: null } },
    'ubuntu@24.04',
  ],
  ['none', undefined, {}, ''],
  ['an empty manifest', { bases: [] }, undefined, ''],
])('parseBases reads %s', (_, manifest, metadata, expected) => {
  expect(formatBases(parseBases(manifest, metadata))).toBe(expected);
});

test.each<[string, unknown, unknown, string]>([
  ['a manifest that is a text', 'x', {}, 'manifest: expected a map, got "x"'],
  ['bases as a map', { bases: {} }, {}, 'manifest: bases: expected a list, got {}'],
  ['a base as a text', { bases: ['ubuntu'] }, {}, 'manifest: bases[0]: expected a map, got "ubuntu"'],
  ['a base without channel', { bases: [{ name: 'ubuntu' }] }, {}, 'invalid base channel ""'],
  ['a bad risk', { bases: [{ name: 'ubuntu', channel: '22.04/x' }] }, {}, 'invalid base channel "22.04/x"'],
])('parseBases refuses %s', (_, manifest, metadata, message) => {
  expect(() => parseBases(manifest, metadata)).toThrow(
    expect.objectContaining({ code: 'not valid', message }),
  );
});
