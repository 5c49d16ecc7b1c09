import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { AnonymousConnections } from './anonymous-connections.ts';

const { max } = limits.anonymousConnections;
const { max: ofAddress } = limits.anonymousConnectionsOfAddress;
const full = 'too many connections of other controllers';

test('an address has a maximum number of anonymous connections, and gets others when some have ended', () => {
  const connections = new AnonymousConnections();
  const ends = Array.from({ length: ofAddress }, () => connections.enter('10.0.0.1'));
  expect(() => connections.enter('10.0.0.1')).toThrow(full);
  connections.enter('10.0.0.2')();
  ends[0]!();
  connections.enter('10.0.0.1');
  expect(() => connections.enter('10.0.0.1')).toThrow(full);
});

test('all addresses together have a maximum number of anonymous connections', () => {
  const connections = new AnonymousConnections();
  const ends = Array.from({ length: max }, (_, n) => connections.enter(`10.0.0.${n % 100}`));
  expect(() => connections.enter('10.1.0.1')).toThrow(full);
  ends[0]!();
  connections.enter('10.1.0.1');
});
