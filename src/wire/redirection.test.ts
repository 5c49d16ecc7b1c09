import { expect, test } from 'vitest';
import { JujuError } from '../core/errors.ts';
import { readRedirection } from './redirection.ts';

const info = {
  servers: [[{ value: '10.0.0.1', port: 17070 }], [{ value: 'fd00::1', port: 1 }]],
  'ca-cert': 'PEM',
  'controller-tag': 'controller-u',
  'controller-alias': 'new',
};
const read = (given: Record<string, unknown>) =>
  readRedirection(new JujuError('redirection required', 'redirection required', { info: given }));

test('an error says where the model is', () => {
  expect(read(info)).toEqual({
    addresses: ['10.0.0.1:17070', '[fd00::1]:1'],
    caCert: 'PEM',
    controllerTag: 'controller-u',
    alias: 'new',
  });
});

test.each(['new:admin', 'new\u001b[31m', '../new', ' '])(
  'an error names no controller where the name %j could not be one',
  (alias) => expect(read({ ...info, 'controller-alias': alias })).toMatchObject({ alias: '' }),
);

test('an error without a place, or of another kind, leads nowhere', () => {
  expect(read({ ...info, servers: null })).toBeUndefined();
  expect(read({ ...info, servers: [[{ value: 1 }]] })).toBeUndefined();
  expect(read({ ...info, 'ca-cert': '' })).toBeUndefined();
  expect(readRedirection(new JujuError('not found', 'x', { info }))).toBeUndefined();
});
