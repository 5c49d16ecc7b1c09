import { expect, test } from 'vitest';
import { compareVersions, isVersion, jujuVersion } from './juju-version.ts';

test.each([
  ['3.6', '3.6.0', 0],
  ['3.6.28', '3.6.9', 1],
  ['3.10', '3.9.9', 1],
  ['2.9.45', '3.0', -1],
  ['4.0-beta1', '4.0', -1],
  ['4.0-beta2', '4.0-beta1', 1],
  ['4.0-beta1', '3.6.28', 1],
  ['3.6.28.1', '3.6.28', 0],
])('%s compared with %s is %d', (a, b, expected) => expect(compareVersions(a, b)).toBe(expected));

test('a version has two to four numbers, or a tag', () => {
  for (const good of [jujuVersion, '3.1', '4.0-rc1', '2.9.45.1']) expect(isVersion(good)).toBe(true);
  for (const bad of ['', '3', 'v3.1', '3.1-', '3..1', '>= 3.1']) expect(isVersion(bad)).toBe(false);
});
