import { expect, test } from 'vitest';
import { parseEndpointText, relationKey } from './key.ts';

const requirer = { application: 'wordpress', name: 'db', role: 'requirer' } as const;
const provider = { application: 'mysql', name: 'server', role: 'provider' } as const;

test('the key of a relation has the requirer first, whatever the order of the endpoints', () => {
  expect(relationKey([requirer, provider])).toBe('wordpress:db mysql:server');
  expect(relationKey([provider, requirer])).toBe('wordpress:db mysql:server');
  expect(relationKey([{ application: 'etcd', name: 'cluster', role: 'peer' }])).toBe('etcd:cluster');
});

test('the text of an endpoint has an application and an optional name', () => {
  expect(parseEndpointText('mysql')).toEqual({ application: 'mysql' });
  expect(parseEndpointText('mysql:db-admin')).toEqual({ application: 'mysql', name: 'db-admin' });
});

test.each(['', ':', 'mysql:', ':db', 'a:b:c', 'My:db', 'mysql:DB'])(
  'the text %j is refused as an endpoint',
  (text) => {
    expect(() => parseEndpointText(text)).toThrow(`invalid endpoint "${text}"`);
  },
);
