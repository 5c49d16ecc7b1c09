import { expect, test } from 'vitest';
import { modelUpgradeRefusal } from './upgrade.ts';

test.each([
  ['the newest version', '0.0.0', 'already exists', 'no upgrades available'],
  ['no version', '', 'already exists', 'no upgrades available'],
  ['its own version', '3.6.28', 'already exists', 'no upgrades available'],
  [
    'a newer version',
    '3.6.29',
    '',
    'cannot upgrade to a version "3.6.29" greater than that of the controller "3.6.28"',
  ],
  ['an older version', '3.6.9', '', 'downgrade not supported'],
  ['no version at all', 'new', 'not valid', 'invalid version "new"'],
])('an upgrade of a model to %s', (_, target, code, message) => {
  expect(modelUpgradeRefusal({ target, controller: '3.6.28' })).toMatchObject({ code, message });
});
