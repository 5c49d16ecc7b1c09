/** Answers to requests that name the same entity many times are limited in size. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
const long = 'x'.repeat(200_000);
beforeEach(async () => {
  callers = await createCallers();
  const params = { type: 'object', properties: { file: { type: 'string', description: long } } };
  const load = { description: '', params, parallel: false, executionGroup: '' };
  await callers.addCharm('app', {}, { actions: { load } });
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'app', 'charm-url': 'local:app-0', 'num-units': 1 }],
  });
  await callers.change((tx) => {
    tx.put('annotation', 'application-app', { tag: 'application-app', values: { note: long } });
  });
  await callers.addUser('reader');
  await callers.grant('reader', 'read');
});
afterEach(() => callers[Symbol.asyncDispose]());

test.each([
  ['Action', 'ApplicationsCharmsActions', 'application-app'],
  ['Annotations', 'Get', 'application-app'],
])(
  'the answer of %s.%s has room for so many long records, and refuses the others',
  async (facade, method, tag) => {
    const entities = Array.from({ length: 900 }, () => ({ tag }));
    const { results } = await callers.call<{ results: object[] }>(
      facade,
      method,
      { entities },
      { as: 'reader' },
    );
    expect(results).toHaveLength(entities.length);
    expect(JSON.stringify(results).length).toBeLessThan(limits.answer.max + 2 * long.length);
    expect(JSON.stringify(results[100])).toContain(long);
    expect(JSON.stringify(results.at(-1))).toContain('quota limit exceeded');
  },
);
