/** Commands of users who have logged in by macaroons, as users of the dashboard do. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { sliceToText } from '../../kit/macaroon/slices.ts';
import { eventually } from '../../testing/eventually.ts';
import { day, MacaroonLogins } from '../../testing/macaroon-logins.ts';
import { setUserDisabled, setUserPassword } from '../transactions/set/set-user.ts';
import type { UserCommand } from './command-runner.ts';

let world: MacaroonLogins;
let user: string;
/** Commands that were handed to the runner, and whether they go on until their signal aborts. */
let ran: UserCommand[];
let goOn: boolean;
beforeEach(async () => {
  ran = [];
  goOn = false;
  world = await MacaroonLogins.start({
    run: (command, { signal }) => {
      ran.push(command);
      if (!goOn) return Promise.resolve(0);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  });
  user = await world.newUser();
});
afterEach(() => world[Symbol.asyncDispose]());

async function ask(more: object, headers: Record<string, string> = {}) {
  const client = await world.api.open('/commands', headers);
  expect(await client.next()).toBe('{}\n');
  client.send(JSON.stringify({ user: '', credentials: '', macaroons: null, commands: ['whoami'], ...more }));
  return client;
}

/** The last frame of the answer. */
async function answerTo(more: object, headers?: Record<string, string>): Promise<unknown> {
  const client = await ask(more, headers);
  for (;;) {
    const frame = JSON.parse(await client.next()) as Record<string, unknown>;
    if (!frame['done']) continue;
    client.socket.close();
    return frame;
  }
}

async function macaroons(): Promise<unknown[][]> {
  return [(await world.sliceOf(user)).map(macaroonToJson)];
}

test('commands run for the user whose macaroons they have, who need not be named, and are handed on with the macaroons', async () => {
  const slices = await macaroons();
  for (const name of [user, '']) {
    ran = [];
    expect(await answerTo({ user: name, macaroons: slices })).toEqual({ done: true });
    expect(ran).toMatchObject([{ line: 'whoami', user, password: '', macaroons: slices }]);
  }
});

test.each([
  ['nothing', {}, 'no credentials provided'],
  ['a name alone', { user: 'admin' }, 'macaroon discharge required'],
  ['what is no macaroon', { user: 'admin', macaroons: [[{}]] }, 'not valid'],
  ['what are no slices', { user: 'admin', macaroons: 'x' }, 'not valid'],
])('commands do not run for %s', async (_, more, code) => {
  expect(await answerTo(more)).toMatchObject({ done: true, error: { code } });
  expect(ran).toEqual([]);
});

test('commands do not run for another user, with a wrong password beside the macaroons, or when these count no more', async () => {
  const slices = await macaroons();
  const refused = { error: { code: 'macaroon discharge required' } };
  expect(await answerTo({ user: 'admin', macaroons: slices })).toMatchObject(refused);
  expect(await answerTo({ user, credentials: 'wrong', macaroons: slices })).toMatchObject({
    error: { code: 'unauthorized access' },
  });
  world.clock.advance(day + 1);
  expect(await answerTo({ user, macaroons: slices })).toMatchObject(refused);
  const newer = await macaroons();
  world.clock.advance(1);
  await world.api.store.change((tx) => setUserPassword(tx, { name: user, passwordHash: 'new' }), 'test');
  expect(await answerTo({ user, macaroons: newer })).toMatchObject(refused);
  expect(ran).toEqual([]);
});

test('commands do not run for the cookies of a browser, which it sends with a socket of any page', async () => {
  const cookie = `macaroon-x=${sliceToText(await world.sliceOf(user))}`;
  expect(await answerTo({}, { cookie })).toMatchObject({ error: { code: 'no credentials provided' } });
  expect(ran).toEqual([]);
});

test('commands end with their connection when the user is disabled', async () => {
  goOn = true;
  const client = await ask({ macaroons: await macaroons() });
  await eventually(() => expect(ran).toHaveLength(1));
  await world.api.store.change((tx) => setUserDisabled(tx, { name: user, disabled: true }), 'test');
  expect(await client.closed).toBe(1008);
});
