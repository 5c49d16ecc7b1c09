import { expect, test } from 'vitest';
import { parseAptSources, sourcesBeside, sourcesOfSuite } from './apt-sources.ts';

const debian = {
  path: 'debian.sources',
  text: `Types: deb
# http://old.example/archive
URIs: http://mirror.example/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main contrib

Types: deb-src
URIs: http://mirror.example/sources
Suites: bookworm
Components: main
`,
};
const ubuntu = {
  path: 'ubuntu.sources',
  text: 'Types: deb\nURIs: http://mirror.example/ubuntu/\nSuites: noble noble-updates noble-security\nComponents: main universe\nEnabled: no\n',
};
const oneLine = {
  path: 'sources.list',
  text: `# deb http://old.example/debian bookworm main
deb [arch=amd64 signed-by=/a.gpg] http://near.example/debian bookworm main contrib # the nearest
deb-src http://near.example/debian bookworm main
deb http://tools.example/apt stable main
`,
};

test('Sources of both formats are parsed, disabled ones last', () => {
  expect(parseAptSources([ubuntu, debian, oneLine]).map(({ uri, suite }) => `${uri} ${suite}`)).toEqual([
    'http://mirror.example/debian bookworm',
    'http://mirror.example/debian bookworm-updates',
    'http://mirror.example/debian-security bookworm-security',
    'http://near.example/debian bookworm',
    'http://tools.example/apt stable',
    'http://mirror.example/ubuntu/ noble',
    'http://mirror.example/ubuntu/ noble-updates',
    'http://mirror.example/ubuntu/ noble-security',
  ]);
});

test.each([
  [
    'another release of the host’s distribution comes from the host’s mirrors',
    [debian],
    ['trixie', 'debian', ['main']],
    [
      'deb http://mirror.example/debian trixie main',
      'deb http://mirror.example/debian trixie-updates main',
      'deb http://mirror.example/debian-security trixie-security main',
    ],
  ],
  [
    'pockets that the host does not have are left out',
    [oneLine],
    ['bookworm', 'debian', ['main']],
    ['deb http://near.example/debian bookworm main'],
  ],
  [
    'another distribution comes from a source that is there for it, and not enabled',
    [debian, ubuntu],
    ['jammy', 'ubuntu', ['main', 'universe']],
    [
      'deb http://mirror.example/ubuntu/ jammy main universe',
      'deb http://mirror.example/ubuntu/ jammy-updates main universe',
      'deb http://mirror.example/ubuntu/ jammy-security main universe',
    ],
  ],
  [
    'nothing is guessed for a distribution that the host has nothing of',
    [debian],
    ['noble', 'ubuntu', ['main']],
    [],
  ],
] as const)('%s', (_, files, [suite, distribution, components], expected) => {
  expect(sourcesOfSuite(suite, distribution, components, parseAptSources(files))).toEqual(expected);
});

test.each([
  ['Ubuntu beside Debian', [debian], 'ubuntu', ['http://mirror.example/ubuntu']],
  [
    'Ubuntu beside Debian on each mirror',
    [debian, oneLine],
    'ubuntu',
    ['http://mirror.example/ubuntu', 'http://near.example/ubuntu'],
  ],
  ['nothing beside disabled sources', [ubuntu], 'debian', []],
  ['nothing beside the distribution itself', [debian], 'debian', []],
  [
    'Debian beside Ubuntu',
    [{ ...ubuntu, text: ubuntu.text.replace('Enabled: no\n', '') }],
    'debian',
    ['http://mirror.example/debian'],
  ],
  [
    'nothing at a mirror whose address does not say what it has',
    [
      {
        path: 'sources.list',
        text: 'deb http://packages.example/ bookworm main\ndeb http://debian.example/packages bookworm main\n',
      },
    ],
    'ubuntu',
    [],
  ],
])('a mirror may have %s', (_, files, distribution, expected) => {
  expect(sourcesBeside(distribution, parseAptSources(files)).map(({ uri }) => uri)).toEqual(expected);
});

test('security updates of Ubuntu are on its mirror, those of Debian are not', () => {
  const enabled = { ...ubuntu, text: ubuntu.text.replace('Enabled: no\n', '') };
  expect(sourcesBeside('ubuntu', parseAptSources([debian]))[0]?.pockets).toEqual([
    '',
    '-updates',
    '-security',
  ]);
  expect(sourcesBeside('debian', parseAptSources([enabled]))[0]?.pockets).toEqual(['', '-updates']);
});
