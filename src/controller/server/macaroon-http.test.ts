/** HTTP requests with macaroons. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { macaroonFromJson } from '../../kit/macaroon/encode.ts';
import { bakeryFromJson, sliceToText } from '../../kit/macaroon/slices.ts';
import { testModel } from '../../testing/api-server.ts';
import { MacaroonLogins } from '../../testing/macaroon-logins.ts';

let world: MacaroonLogins;
let user: string;
beforeAll(async () => (world = await MacaroonLogins.start()));
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(async () => (user = await world.newUser()));

describe('HTTP requests', () => {
  const path = `/model/${testModel}/charms?url=local:x-1`;
  const get = async (
    headers: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const answer = await world.api.http('GET', path, { headers });
    return { ...answer, body: JSON.parse(answer.body.toString()) as Record<string, unknown> };
  };
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

  test.each<[string, (text: string) => Record<string, string>]>([
    ['in a header', (text) => ({ Macaroons: text })],
    ['in a cookie', (text) => ({ Cookie: `a=b; macaroon-0a=${text}` })],
    ['beside a name without a password', (text) => ({ ...basic('user-reader:'), Macaroons: text })],
    ['behind a cookie that is none', (text) => ({ Cookie: `macaroon-x=y; macaroon-1=${text}` })],
  ])('macaroons %s log in', async (_what, headers) => {
    const text = sliceToText(await world.sliceOf('reader'));
    expect(await get(headers(text))).toMatchObject({ status: 404, body: { 'error-code': 'not found' } });
  });

  test('a name without password and macaroons is told what to discharge', async () => {
    const { status, body } = await get({ ...basic('user-reader:'), 'Bakery-Protocol-Version': '3' });
    expect({ status, code: body['error-code'] }).toEqual({
      status: 401,
      code: 'macaroon discharge required',
    });
    const info = body['error-info'] as Record<string, unknown>;
    expect(bakeryFromJson(info['bakery-macaroon']).macaroon).toEqual(macaroonFromJson(info['macaroon']));
  });

  test('macaroons that do not count give no login', async () => {
    const [root] = await world.sliceOf('reader');
    expect(await get({ Macaroons: sliceToText([root!]) })).toMatchObject({
      status: 401,
      body: { 'error-code': 'no credentials provided' },
    });
    expect(await get({ Macaroons: sliceToText(await world.sliceOf(user)) })).toMatchObject({
      status: 401,
      body: { error: 'permission denied' },
    });
  });

  test('too many macaroons are refused', async () => {
    const headers = { Macaroons: Array.from({ length: limits.macaroons.max + 1 }, () => 'x').join() };
    expect(await get(headers)).toMatchObject({ status: 400, body: { 'error-code': 'quota limit exceeded' } });
  });
});
