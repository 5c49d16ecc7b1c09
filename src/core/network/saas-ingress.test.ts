import { expect, test } from 'vitest';
import { anyNetwork } from '../relation/side.ts';
import { allowedIngress, refusedIngress } from './saas-ingress.ts';

test.each([
  { setting: undefined, allowed: ['10.0.0.0/8', '192.168.0.0/24'], refused: [] },
  { setting: '0.0.0.0/0,::/0', allowed: ['10.0.0.0/8', '192.168.0.0/24'], refused: [] },
  { setting: '10.1.0.0/16', allowed: ['10.1.0.0/16'], refused: ['192.168.0.0/24'] },
  { setting: '10.0.0.0/8,192.168.0.0/16', allowed: ['10.0.0.0/8', '192.168.0.0/24'], refused: [] },
  { setting: '[10.1.0.0/16, 192.0.2.0/24]', allowed: ['10.1.0.0/16'], refused: ['192.168.0.0/24'] },
  { setting: '::/0', allowed: [], refused: ['10.0.0.0/8', '192.168.0.0/24'] },
])('the networks $allowed are let in with saas-ingress-allow $setting', ({ setting, allowed, refused }) => {
  const networks = ['10.0.0.0/8', '192.168.0.0/24'];
  expect(allowedIngress(setting, networks)).toEqual(allowed);
  expect(refusedIngress(setting, networks)).toEqual(refused);
});

test('units whose network may be any have no refused networks', () => {
  expect(refusedIngress('10.1.0.0/16', anyNetwork)).toEqual([]);
});
