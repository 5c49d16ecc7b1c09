import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { selectKeys } from './openpgp-keys.ts';

/** Builds a public key's packet body: version 4, a time, an algorithm, and material. */
const key = (material: string): Buffer =>
  Buffer.concat([Buffer.from([4, 0, 0, 0, 1, 1]), Buffer.from(material)]);
const fingerprint = (body: Buffer): string =>
  createHash('sha1')
    .update(Buffer.from([0x99, body.length >> 8, body.length & 0xff]))
    .update(body)
    .digest('hex')
    .toUpperCase();
/** Builds packets with the three forms of length of the old format, and those of the new format. */
const old = (tag: number, body: Buffer, type = 1): Buffer => {
  const length = Buffer.alloc(1 << type);
  length.writeUIntBE(body.length, 0, 1 << type);
  return Buffer.concat([Buffer.from([0x80 | (tag << 2) | type]), length, body]);
};
const recent = (tag: number, body: Buffer): Buffer => {
  const { length } = body;
  const head = length < 192 ? [length] : [192 + ((length - 192) >> 8), (length - 192) & 0xff];
  return Buffer.concat([Buffer.from([0xc0 | tag, ...head]), body]);
};
const [one, two, three] = [key('one'), key('x'.repeat(500)), key('three')] as const;
const name = (text: string): Buffer => Buffer.from(text);

const keyring = Buffer.concat([
  old(6, one, 0),
  old(13, name('the first')),
  old(2, name('signature')),
  recent(6, two),
  recent(13, name('the second')),
  old(14, key('subkey'), 2),
  old(6, three),
]);

test.each([
  [
    'the first',
    [fingerprint(one)],
    Buffer.concat([old(6, one, 0), old(13, name('the first')), old(2, name('signature'))]),
  ],
  [
    'the second',
    [fingerprint(two)],
    Buffer.concat([recent(6, two), recent(13, name('the second')), old(14, key('subkey'), 2)]),
  ],
  ['the last and the first', [fingerprint(three), fingerprint(one)], undefined],
  ['none', ['0'.repeat(40)], Buffer.alloc(0)],
  ['no subkey', [fingerprint(key('subkey'))], Buffer.alloc(0)],
])('a keyring gives %s with the packets that belong to it', (_, fingerprints, expected) => {
  const selected = selectKeys(keyring, fingerprints);
  if (expected) expect(selected).toEqual(expected);
  else
    expect(selected.length).toBe(
      keyring.length -
        recent(6, two).length -
        recent(13, name('the second')).length -
        old(14, key('subkey'), 2).length,
    );
});

test.each([
  ['text', Buffer.from('-----BEGIN PGP'), /not an OpenPGP keyring/],
  ['half a keyring', keyring.subarray(0, keyring.length - 1), /truncated/],
  ['a packet without a length', Buffer.from([0x80 | (6 << 2) | 3, 1]), /unknown length/],
  ['a packet in parts', Buffer.from([0xc6, 0xe1, 1]), /in parts/],
])('%s is refused', (_, bytes, message) => {
  expect(() => selectKeys(bytes, [])).toThrow(message);
});
