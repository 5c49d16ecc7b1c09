import { describe, expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { decodeRegistrationToken, encodeRegistrationToken } from './registration-token.ts';

const key = Uint8Array.from({ length: 32 }, (_, i) => i);
const token = { user: 'bob', addresses: ['10.0.0.5:17070'], key, controllerName: 'ctrl' };

describe('a registration token', () => {
  test('a registration token has the bytes that Juju writes', () => {
    const bytes = Buffer.from(encodeRegistrationToken(token), 'base64url');
    const hex = (text: string): string => Buffer.from(text).toString('hex');
    expect(bytes.toString('hex')).toBe(
      `3041${'1303'}${hex('bob')}3010130e${hex('10.0.0.5:17070')}0420${Buffer.from(key).toString('hex')}1304${hex('ctrl')}1300` +
        '0000',
    );
    expect(bytes.length % 3).toBe(0);
  });

  test.each([
    ['plain ones', token],
    ['a name that is not printable ASCII, and *', { ...token, controllerName: 'büro*' }],
    ['no address', { ...token, addresses: [] }],
    [
      'so many addresses that lengths take two bytes',
      { ...token, addresses: Array<string>(50).fill('a.example:1') },
    ],
  ])('a registration token is read as it was written: %s', (_, value) => {
    const read = decodeRegistrationToken(encodeRegistrationToken(value));
    expect({ ...read, key: Uint8Array.from(read.key) }).toEqual(value);
  });

  test('a registration token of an older controller has neither name nor proxy', () => {
    const short = Buffer.from('302a1303626f623001', 'hex');
    expect(() => decodeRegistrationToken(short.toString('base64url'))).toThrow('invalid registration token');
    const der = Buffer.concat([Buffer.from('30291303626f6230000420', 'hex'), key]);
    expect(decodeRegistrationToken(der.toString('base64url'))).toMatchObject({
      user: 'bob',
      controllerName: '',
    });
  });

  const whole = encodeRegistrationToken(token);
  test.each([
    ['empty', ''],
    ['no base64', '%%%'],
    ['cut', whole.slice(0, 40)],
    ['an endless length', Buffer.from('3084ffffffff00', 'hex').toString('base64url')],
    ['an indefinite length', Buffer.from('308000', 'hex').toString('base64url')],
    ['another tag', Buffer.from('3103040100', 'hex').toString('base64url')],
    ['too long', 'A'.repeat(limits.registration.max + 1)],
  ])('a registration token is refused: %s', (_, text) => {
    expect(() => decodeRegistrationToken(text)).toThrow('invalid registration token');
  });
});
