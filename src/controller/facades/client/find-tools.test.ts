import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeAll(async () => {
  callers = await createCallers();
});
afterAll(() => callers[Symbol.asyncDispose]());

const find = (params: object): Promise<unknown> =>
  callers.call('Client', 'FindTools', params, { version: 6 });

test('the agents of the controller are found, with the address of each', async () => {
  expect(await find({ number: '3.6.28', major: 3 })).toEqual({
    list: [
      {
        version: '3.6.28-ubuntu-amd64',
        url: `https://10.0.0.1:17070/model/${callers.model}/tools/3.6.28-ubuntu-amd64`,
        sha256: '0'.repeat(64),
        size: 0,
      },
    ],
  });
});

test('agents that the controller lacks are reported as missing', async () => {
  expect(await find({ number: '3.6.29' })).toEqual({
    list: [],
    error: { code: 'not found', message: 'no matching agent binaries found' },
  });
});
