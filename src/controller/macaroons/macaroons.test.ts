import { createSecretKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { declared } from '../../kit/macaroon/conditions.ts';
import { addCondition } from '../../kit/macaroon/macaroon.ts';
import { modelFixture, type ModelFixture } from '../../testing/model-fixture.ts';
import { createSealer } from '../sealer.ts';
import { keepRootKey } from '../transactions/set/keep-root-key.ts';
import { checkSlices, mintMacaroon, type Mint } from './macaroons.ts';

const minute = 60_000;
let model: ModelFixture;
let mint: Mint;
beforeEach(async () => {
  model = await modelFixture();
  mint = mintOf(1);
});
afterEach(() => model[Symbol.asyncDispose]());

const mintOf = (key: number): Mint => ({
  store: model.store,
  services: {
    clock: { now: model.now, sleep: () => Promise.reject(new Error('nothing sleeps')) },
    sealer: createSealer(createSecretKey(Buffer.alloc(32, key))),
  },
});
const offer = { operation: 'consume 5', validMs: 3 * minute, conditions: [declared('username', 'bob')] };

test('a macaroon allows what it was minted for, and tells its declarations and when it was minted', async () => {
  const macaroon = await mintMacaroon(mint, offer);
  const mintedAt = model.now();
  model.advance(minute);
  expect(checkSlices(mint, [[macaroon]], { operation: 'consume 5' })).toEqual({
    declared: new Map([['username', 'bob']]),
    mintedAt,
  });
});

describe('checkSlices', () => {
  test.each<[string, string, number, RegExp]>([
    ['for something else', 'consume 6', 0, /for something else/],
    ['for a part of it', 'consume', 0, /for something else/],
    ['after its end', 'consume 5', 3 * minute, /macaroon has expired/],
    ['after the end of its key', 'consume 5', 90 * minute, /expired, or is not of this controller/],
  ])('checkSlices refuses a macaroon %s', async (_what, operation, ms, reason) => {
    const macaroon = await mintMacaroon(mint, offer);
    model.advance(ms);
    const checked = checkSlices(mint, [[macaroon]], { operation });
    expect('refusal' in checked && checked.refusal).toMatch(reason);
  });

  test('checkSlices takes the first slice that counts, and asks about conditions that it does not know', async () => {
    const macaroon = addCondition(await mintMacaroon(mint, offer), 'from 10.0.0.1');
    const check = { operation: 'consume 5' };
    expect(checkSlices(mint, [[], [macaroon]], check)).toEqual({
      refusal: 'condition "from" does not hold',
    });
    const holds = (condition: string): boolean => condition === 'from 10.0.0.1';
    expect(checkSlices(mint, [[], [macaroon]], { ...check, holds })).toHaveProperty('declared');
    expect(checkSlices(mint, [], check)).toEqual({ refusal: 'no macaroons' });
  });
});

test('macaroons of one time share a root key, and longer ones get a root key that outlives them', async () => {
  const keyOf = async (validMs: number): Promise<string> =>
    (await mintMacaroon(mint, { ...offer, validMs })).id.toString().split(' ')[0]!;
  const first = await keyOf(minute);
  expect(await Promise.all([keyOf(minute), keyOf(2 * minute)])).toEqual([first, first]);
  const longer = await keyOf(600 * minute);
  expect(longer).not.toBe(first);
  expect(await keyOf(minute)).toBe(longer);
});

test('two macaroons that need a new root key at the same time share it', async () => {
  await Promise.all([mintMacaroon(mint, offer), mintMacaroon(mint, offer)]);
  expect([...model.store.read().in('').list('root-key')]).toHaveLength(1);
});

test('the number of root keys is limited', async () => {
  const { max } = limits.rootKeys;
  // Each key is needed for macaroons that outlive the keys before it.
  const keep = (count: number, from: number): Promise<void> =>
    model.store.change((tx) => {
      for (let i = from; i < from + count; i++)
        keepRootKey(tx, { id: `key${i}`, sealedKey: '', validMs: i * 2 * 60 * minute });
    }, 'test');
  await keep(max, 0);
  await expect(keep(1, max)).rejects.toThrow(`exceed the limit of ${max}`);
});
