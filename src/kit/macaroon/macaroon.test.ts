import { describe, expect, test } from 'vitest';
import fc, { runs } from '../../testing/fast-check.ts';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { boxKeys, sharedKey } from '../box.ts';
import { macaroonFromJson, macaroonToFirstJson, macaroonToJson } from './encode.ts';
import { addCondition, addThirdParty, bind, mint, verify, type Macaroon } from './macaroon.ts';
import { bakeryFromJson, bakeryToJson, sliceFromText, slicesFromJson, sliceToText } from './slices.ts';
import { decodeThirdPartyCaveat, encodeThirdPartyCaveat } from './third-party.ts';

const base64 = (text: string): Buffer => Buffer.from(text, 'base64');
const rootKey = Buffer.from('root key');
const thirdKey = Buffer.from('third key');
const caveatId = Buffer.from([0xff, 0, ...Buffer.from(' caveat id')]);

// Made with pymacaroons 0.13 and macaroonbakery 1.3 of other keys and nonces than this code would draw.
const rootJson = {
  c: [
    { i: 'time-before 2030-01-01T00:00:00Z' },
    {
      i64: '_wAgY2F2ZWF0IGlk',
      v64: 'bm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5uqDtPKWFsYzbRrbgs5zhuNmaqA69iZlreojVk8h1jmrtXS5dQWy2cA-AIGSjkTu64',
      l: 'https://there',
    },
  ],
  l: 'https://here',
  i: 'an id',
  s64: 'xVXI1F0XtUnawxoOrIKwCn3oThRbc6BYPyPwWRrqUr4',
};
const boundJson = {
  c: [{ i: 'declared username bob' }],
  i64: '_wAgY2F2ZWF0IGlk',
  s64: 'fufftiXPUA_QihL3enebfgHcQUzpQLwz5sOnyGSuajs',
};
const first = {
  identifier: 'an id',
  signature: '4713505b0adf03042b721485843c01430c1cab13dc630f7e8a1a517bad185cc7',
  location: 'https://here',
  caveats: [{ cid: 'account = 1' }],
};

describe('macaroons of pymacaroons', () => {
  test('the JSON of a macaroon is written as it was read', () => {
    expect(macaroonToJson(macaroonFromJson(rootJson))).toEqual(rootJson);
  });

  test('a macaroon is verified with the discharge that pymacaroons has bound to it', () => {
    const slice = slicesFromJson([[rootJson, boundJson]])[0]!;
    expect(verify(rootKey, slice)).toEqual(['time-before 2030-01-01T00:00:00Z', 'declared username bob']);
  });

  test('a macaroon and a bound discharge made here have the signatures of pymacaroons', () => {
    const root = macaroonFromJson(rootJson);
    const start = mint({ rootKey, id: Buffer.from('an id'), location: 'https://here' });
    expect(addCondition(start, 'time-before 2030-01-01T00:00:00Z').caveats).toEqual(root.caveats.slice(0, 1));
    const discharge = addCondition(mint({ rootKey: thirdKey, id: caveatId }), 'declared username bob');
    expect(macaroonToJson(bind(root, discharge))).toEqual(boundJson);
  });

  test('the JSON of a macaroon of version 1 is read, and written as it was read', () => {
    const macaroon = macaroonFromJson(first);
    expect(verify(rootKey, [macaroon])).toEqual(['account = 1']);
    expect(macaroonToFirstJson(macaroon)).toEqual(first);
    const third = addThirdParty(macaroon, {
      rootKey: thirdKey,
      id: Buffer.from('3'),
      location: 'https://there',
    });
    expect(macaroonFromJson(macaroonToFirstJson(third))).toEqual(third);
  });
});

const minted = mint({ rootKey, id: Buffer.from('an id') });
const asked = addThirdParty(minted, { rootKey: thirdKey, id: caveatId, location: 'https://there' });
const discharge = mint({ rootKey: thirdKey, id: caveatId });

describe('verify', () => {
  test('verify accepts a discharge that needs another one, which is sent with it', () => {
    const further = addThirdParty(discharge, { rootKey, id: Buffer.from('next'), location: 'https://far' });
    const last = addCondition(mint({ rootKey, id: Buffer.from('next') }), 'last');
    expect(verify(rootKey, [asked, bind(asked, last), bind(asked, further)])).toEqual(['last']);
  });

  const refused: readonly [string, readonly Macaroon[], string][] = [
    ['nothing', [], 'there is no macaroon'],
    ['another root key', [mint({ rootKey: thirdKey, id: Buffer.from('an id') })], 'the signature is wrong'],
    [
      'a condition that was taken away',
      [{ ...addCondition(minted, 'a'), caveats: [] }],
      'the signature is wrong',
    ],
    ['another id', [{ ...minted, id: Buffer.from('other') }], 'the signature is wrong'],
    ['a missing discharge', [asked], 'a discharge is missing'],
    ['a discharge that is not bound', [asked, discharge], 'the signature is wrong'],
    [
      'a discharge that is bound to another macaroon',
      [asked, bind(minted, discharge)],
      'the signature is wrong',
    ],
    [
      'a discharge with another key',
      [asked, bind(asked, mint({ rootKey, id: caveatId }))],
      'the signature is wrong',
    ],
    ['a discharge too many', [minted, bind(minted, discharge)], 'a discharge was not asked for'],
    ['the same discharge twice', [asked, bind(asked, discharge), bind(asked, discharge)], 'not asked for'],
    [
      'a caveat whose verification id was changed',
      [
        { ...asked, caveats: [{ ...asked.caveats[0]!, verificationId: Buffer.alloc(72) }] },
        bind(asked, discharge),
      ],
      'a caveat was changed',
    ],
    [
      'a caveat whose verification id is short',
      [{ ...asked, caveats: [{ ...asked.caveats[0]!, verificationId: Buffer.alloc(3) }] }],
      'a caveat was changed',
    ],
    [
      'a third party’s caveat made into a condition',
      [{ ...asked, caveats: [{ id: caveatId }] }],
      'the signature is wrong',
    ],
  ];
  test.each(refused)('verify refuses %s', (_what, slice, reason) => {
    expect(() => verify(rootKey, slice)).toThrow(reason);
  });
});

const ours = boxKeys(Buffer.alloc(32, 1));
const theirs = boxKeys(Buffer.alloc(32, 2));

describe('caveats of third parties', () => {
  test('public keys are those that libsodium makes', () => {
    expect(ours.publicKey.toString('base64')).toBe('pOCSkrZRwni5dyxWn1+puxPZBrRqtoyd+dwrRAn4ogk=');
    expect(theirs.publicKey.toString('base64')).toBe('zo060cy2M+x7cMF4FKXHbs0CloUFDTRHRboFhw5YfVk=');
  });

  test.each([
    [
      2,
      '',
      'As6NOtGk4JKStlHCeLl3LFafX6m7E9kGtGq2jJ353CtECfiiCfgSnnQjcdDSwgur+aQcj4qQ8R6wUWHFNOf9AqkW4rLTBZK+/6h06IlrN27Kqv4x7DwoF/ZuTYlgKbC6Pk1vJj9earkqkwMzrDbldGcl70bTllFHaY6SY/RMUWs=',
    ],
    [
      3,
      'github.com/juju/juju: std:',
      'A86NOtGk4JKStlHCeLl3LFafX6m7E9kGtGq2jJ353CtECfiiCQC9M4bon2POvhKyTNfi5nNJ7D5Ez3TNOcWrdJ5hmB7JOcyQkJkofe5zwc5y1liq1cFhgbZGnMcqTtgrjBlcESdFFPr2w/sHwJNoqEu/XKgYfTzwesy85jp8pmU/mj8UyMtkQzmf2vNsJLdVMh8C6HAepAcDids=',
    ],
  ])('a caveat of version %s that macaroonbakery has made is opened', (version, namespace, text) => {
    expect(decodeThirdPartyCaveat(theirs, base64(text))).toEqual({
      version,
      namespace,
      condition: 'is-authenticated-user bob',
      rootKey: Buffer.alloc(24, 'k'),
    });
  });

  test.each([2, 3] as const)('a caveat of version %s is read as it was written', (version) => {
    const namespace = version === 3 ? 'std:' : '';
    const caveat = { version, namespace, condition: 'x '.repeat(500), rootKey: Buffer.alloc(200, 7) };
    expect(decodeThirdPartyCaveat(theirs, encodeThirdPartyCaveat(caveat, ours, theirs.publicKey))).toEqual(
      caveat,
    );
  });

  const good = encodeThirdPartyCaveat(
    { version: 3, namespace: '', condition: 'c', rootKey },
    ours,
    theirs.publicKey,
  );
  test.each([
    ['nothing', Buffer.alloc(0), 'the end is missing'],
    ['another version', Buffer.from([1, ...good.subarray(1)]), 'unknown version'],
    [
      'a caveat for somebody else',
      encodeThirdPartyCaveat({ version: 2, namespace: '', condition: 'c', rootKey }, ours, ours.publicKey),
      'another public key',
    ],
    ['a version that was changed', Buffer.from([2, ...good.subarray(1)]), 'two versions'],
    ['a caveat that is cut off', good.subarray(0, -1), 'cannot be decrypted'],
    [
      'a public key that leads to zero',
      Buffer.concat([good.subarray(0, 5), Buffer.alloc(32), good.subarray(37)]),
      'cannot be decrypted',
    ],
  ])('a caveat of a third party is refused: %s', (_what, bytes, reason) => {
    expect(() => decodeThirdPartyCaveat(theirs, bytes)).toThrow(reason);
  });

  test('a public key that leads to zero is shared with nobody', () => {
    expect(sharedKey(ours, Buffer.alloc(32))).toBeUndefined();
    expect(() =>
      encodeThirdPartyCaveat({ version: 2, namespace: '', condition: '', rootKey }, ours, Buffer.alloc(32)),
    ).toThrow('public key not valid');
  });
});

describe('decoders', () => {
  test('a slice of macaroons is read from the text of a cookie, in either alphabet of base64', () => {
    const slice = [asked, bind(asked, discharge)];
    expect(sliceFromText(sliceToText(slice))).toEqual(slice);
    expect(sliceFromText(base64(sliceToText(slice)).toString('base64url'))).toEqual(slice);
  });

  test('contents of caveats beside a macaroon are found by their ids', () => {
    const { macaroon, contents } = bakeryFromJson({
      ...(bakeryToJson(asked, 3, 'std:') as object),
      cdata: { AwA: 'AQ' },
    });
    expect(macaroon).toEqual(asked);
    expect(contents.get('AwA=')).toEqual(Buffer.from([1]));
    expect(bakeryFromJson(bakeryToJson(asked, 2, 'std:'))).toEqual({ macaroon: asked, contents: new Map() });
  });

  test('null and absent lists of macaroons are empty', () => {
    expect([slicesFromJson(null), slicesFromJson(undefined)]).toEqual([[], []]);
  });

  const json = macaroonToJson(minted);
  test.each<[string, unknown, string]>([
    ['no object', 'x', 'it is no object'],
    ['null', null, 'it is no object'],
    ['an empty object', {}, 'its signature has not 32 bytes'],
    ['a number for the id', { ...json, i: 5 }, '"i" is no text'],
    ['null for the id of version 1', { identifier: null }, 'its signature has not 32 bytes'],
    ['caveats that are no list', { ...json, c: {} }, 'the caveats are no list'],
    ['a caveat without an id', { ...json, c: [{}] }, 'a caveat has no id'],
    ['a short signature', { ...json, s64: 'AAAA' }, 'its signature has not 32 bytes'],
  ])('the input is refused as a macaroon: %s', (_what, value, reason) => {
    expect(() => macaroonFromJson(value)).toThrow(reason);
  });

  test.each<[string, () => unknown]>([
    ['a list in place of lists', () => slicesFromJson([json])],
    ['text in place of lists', () => slicesFromJson('x')],
    ['a cookie that is no JSON', () => sliceFromText('AAAA')],
  ])('the input is not valid: %s', (_what, decode) => {
    expect(decode).toThrow(expect.objectContaining({ code: 'not valid' }));
  });

  const many = Array.from({ length: limits.macaroonCaveats.max + 1 }, () => ({ i: 'a' }));
  const long = { ...minted, id: Buffer.alloc(limits.macaroonBytes.max + 1, 'a') };
  test.each<[string, () => unknown]>([
    ['caveats in JSON', () => macaroonFromJson({ ...json, c: many })],
    ['characters of JSON', () => macaroonFromJson(macaroonToJson(long))],
    [
      'macaroons of a request',
      () => slicesFromJson(Array.from({ length: limits.macaroons.max + 1 }, () => [json])),
    ],
    [
      'contents of caveats',
      () => bakeryFromJson({ m: json, cdata: Object.fromEntries(many.map((_, i) => [i, ''])) }),
    ],
  ])('too many %s are refused', (_what, decode) => {
    expect(decode).toThrow(expect.objectContaining({ code: 'quota limit exceeded' }));
  });

  const refusals = new Set(['not valid', 'quota limit exceeded']);
  const orRefused = (decode: () => unknown): void => {
    try {
      decode();
    } catch (error) {
      if (!(error instanceof JujuError) || !refusals.has(error.code)) throw error;
    }
  };

  test('garbage, and valid bytes with garbage in them, is decoded or refused with an error that says so', () => {
    const good = [
      encodeThirdPartyCaveat(
        { version: 3, namespace: 'std:', condition: 'c', rootKey },
        ours,
        theirs.publicKey,
      ),
    ];
    const changed = fc
      .tuple(fc.constantFrom(...good), fc.nat(300), fc.uint8Array({ maxLength: 8 }))
      .map(([bytes, at, garbage]) =>
        Buffer.concat([bytes.subarray(0, at), garbage, bytes.subarray(at + garbage.length)]),
      );
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), changed), (bytes) => {
        orRefused(() => decodeThirdPartyCaveat(theirs, bytes));
        orRefused(() => sliceFromText(Buffer.from(bytes).toString('base64')));
      }),
      { numRuns: runs(2000) },
    );
  });

  test('any JSON in the place of a macaroon is decoded or refused with an error that says so', () => {
    const name = fc.constantFrom(
      'i',
      'i64',
      'c',
      's64',
      'v64',
      'l',
      'm',
      'v',
      'cdata',
      'identifier',
      'caveats',
      'cid',
      'vid',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('any')),
        fc.dictionary(name, tie('any')),
      ),
    })).any;
    fc.assert(
      fc.property(value, (garbage) => {
        orRefused(() => macaroonFromJson(garbage));
        orRefused(() => bakeryFromJson(garbage));
        orRefused(() => slicesFromJson(garbage));
      }),
      { numRuns: runs(2000) },
    );
  });
});
