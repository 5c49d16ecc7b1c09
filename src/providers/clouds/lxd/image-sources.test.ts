import { expect, test } from 'vitest';
import { localAliases, remotesFor, type WantedImage } from './image-sources.ts';

const image = (base: string, arch = 'amd64', isVm = false): WantedImage => {
  const [name = '', track = ''] = base.split('@');
  return { base: { name, channel: `${track}/stable` }, arch, isVm };
};

test("Local images are searched by grigri's alias first, then by aliases known to have cloud-init", () => {
  expect(localAliases(image('debian@12'))).toEqual([
    'juju/debian@12/amd64',
    'debian/12/cloud/amd64',
    'debian/12/cloud',
    'debian/bookworm/cloud/amd64',
    'debian/bookworm/cloud',
    'debian/12/amd64',
    'debian/12',
    'debian/bookworm/amd64',
    'debian/bookworm',
  ]);
  expect(localAliases(image('ubuntu@24.04', 'arm64', true))).toEqual([
    'juju/ubuntu@24.04/arm64/vm',
    'ubuntu/24.04/cloud/arm64',
    'ubuntu/24.04/cloud',
    'ubuntu/noble/cloud/arm64',
    'ubuntu/noble/cloud',
    'ubuntu/24.04/arm64',
    'ubuntu/24.04',
    'ubuntu/noble/arm64',
    'ubuntu/noble',
    '24.04/arm64',
    '24.04',
    'noble/arm64',
    'noble',
  ]);
});

test.each([
  ['ubuntu@24.04', {}, ['https://cloud-images.ubuntu.com/releases 24.04/amd64']],
  ['ubuntu@24.04', { 'image-stream': 'daily' }, ['https://cloud-images.ubuntu.com/daily 24.04/amd64']],
  ['debian@12', {}, ['https://images.lxd.canonical.com debian/12/cloud/amd64']],
  ['centos@9', {}, ['https://images.lxd.canonical.com centos/9-Stream/cloud/amd64']],
  ['windows@11', {}, []],
  [
    'debian@12',
    { 'image-metadata-url': 'https://images.example.com/' },
    [
      'https://images.example.com debian/12/cloud/amd64',
      'https://images.lxd.canonical.com debian/12/cloud/amd64',
    ],
  ],
  [
    'windows@11',
    { 'image-metadata-url': 'https://images.example.com' },
    ['https://images.example.com windows/11/cloud/amd64'],
  ],
])('The image of %s with %o comes from %o', (base, config, expected) => {
  const remotes = remotesFor(image(base), config);
  expect(remotes.map(({ server, aliases }) => `${server} ${aliases[0]}`)).toEqual(expected);
});

test('The given certificate is trusted for the model’s own image server only', () => {
  const config = { 'image-metadata-url': 'https://images.example.com' };
  const remotes = remotesFor(image('debian@12'), config, 'PEM');
  expect(remotes.map(({ certificate }) => certificate)).toEqual(['PEM', undefined]);
});
