import { expect, test } from 'vitest';
import { chooseNetworks } from './choose-networks.ts';

const networks = [
  { name: 'own', subnets: ['10.0.0.0/24', 'fd00::/64'] },
  { name: 'back', subnets: ['10.1.0.0/24'] },
  { name: 'both', subnets: ['10.2.0.0/24', '10.3.0.0/24'] },
];
const alpha = { name: 'alpha', subnets: ['10.0.0.0/24'] };
const db = { name: 'db', subnets: ['10.1.0.0/24', '10.2.0.0/24'] };
const web = { name: 'web', subnets: ['10.3.0.0/24'] };
const six = { name: 'six', subnets: ['fd00::/64'] };
const far = { name: 'far', subnets: ['10.9.0.0/24'] };

test.each([
  ['the preferred network of a space', [db], [], ['back']],
  ['one network of each space', [alpha, db], [], ['own', 'back']],
  ['one network for two spaces', [web, db], [], ['both']],
  ['two subnets of one network', [alpha, six], [], ['own']],
  ['what is excluded', [db], ['10.1.0.0/24'], ['both']],
  ['what is excluded alone', [], ['fd00::/64'], ['back']],
])('networks are chosen by %s', (_, spaces, excluded, names) => {
  expect(chooseNetworks('a cloud', { spaces, excluded }, networks).map(({ name }) => name)).toEqual(names);
});

test('a cloud without a network for the spaces refuses, and says which networks it has', () => {
  expect(() => chooseNetworks('LXD', { spaces: [far], excluded: ['10.2.0.0/24'] }, networks)).toThrow(
    'LXD has no network with a subnet of space "far" (10.9.0.0/24); ' +
      'networks outside of the excluded spaces: own (10.0.0.0/24, fd00::/64), back (10.1.0.0/24)',
  );
  expect(() =>
    chooseNetworks('LXD', { spaces: [], excluded: ['10.0.0.0/24'] }, networks.slice(0, 1)),
  ).toThrow('LXD has no network for the machine; networks outside of the excluded spaces: none');
});
