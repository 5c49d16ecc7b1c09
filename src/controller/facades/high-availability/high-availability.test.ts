import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeAll(async () => {
  callers = await createCallers();
});
afterAll(() => callers[Symbol.asyncDispose]());

const enable = (...specs: object[]): Promise<unknown> =>
  callers.call('HighAvailability', 'EnableHA', { specs });

test('more than one controller cannot be had, and the reason is told', async () => {
  expect(await enable({ 'num-controllers': 3 })).toEqual({
    results: [
      {
        result: {},
        error: {
          code: 'not supported',
          message: 'failed to enable HA with 3 controllers: a second controller machine not supported',
        },
      },
    ],
  });
});

test.each([[[]], [[{ 'num-controllers': 1 }, { 'num-controllers': 1 }]]])(
  'specs other than exactly one are refused: %j',
  async (specs) => {
    await expect(enable(...specs)).rejects.toThrow('only one controller spec is supported');
  },
);
