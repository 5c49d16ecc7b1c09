import { expect, test } from 'vitest';
import { agentBinariesFor } from './agent-binaries.ts';

const any = { number: '', major: 0, arch: '', 'os-type': '' };

test.each([
  ['everything fits what names nothing', {}, ['amd64', 'arm64']],
  ['0.0.0 is any version', { number: '0.0.0' }, ['amd64', 'arm64']],
  ['the version is the controller’s', { number: '3.6.28', major: 3 }, ['amd64', 'arm64']],
  ['there is no other version', { number: '3.6.29' }, []],
  ['there is no other major version', { major: 2 }, []],
  ['-1 is any major version', { major: -1 }, ['amd64', 'arm64']],
  ['the architecture is named', { arch: 'arm64' }, ['arm64']],
  ['the architecture is missing', { arch: 's390x' }, []],
  ['the operating system is named', { 'os-type': 'ubuntu', arch: 'amd64' }, ['amd64']],
  ['there is no other operating system', { 'os-type': 'windows' }, []],
])('agent binaries: %s', (_, filter, expected) => {
  expect(agentBinariesFor({ ...any, ...filter }, { version: '3.6.28', archs: ['amd64', 'arm64'] })).toEqual(
    expected,
  );
});
