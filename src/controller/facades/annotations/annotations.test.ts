import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('app');
});
afterEach(() => callers[Symbol.asyncDispose]());

test('annotations are set, changed and removed, on entities that exist', async () => {
  const tags = [`model-${callers.model}`, 'charm-local:app-0'];
  const set = (annotations: Record<string, string>): Promise<unknown> =>
    callers.call('Annotations', 'Set', { annotations: tags.map((entity) => ({ entity, annotations })) });
  expect(await set({ 'gui-x': '1', 'gui-y': '2' })).toEqual({ results: [{}, {}] });
  await set({ 'gui-x': '', 'gui-y': '3' });
  const entities = [...tags, 'unit-app-0', 'user-admin'].map((tag) => ({ tag }));
  expect(await callers.call('Annotations', 'Get', { entities })).toEqual({
    results: [
      { entity: tags[0], annotations: { 'gui-y': '3' } },
      { entity: tags[1], annotations: { 'gui-y': '3' } },
      {
        entity: 'unit-app-0',
        annotations: {},
        error: { error: { message: 'unit "app/0" not found', code: 'not found' } },
      },
      {
        entity: 'user-admin',
        annotations: {},
        error: {
          error: { message: 'annotations on entity "user-admin" not supported', code: 'not supported' },
        },
      },
    ],
  });
  await set({ 'gui-y': '' });
  expect(callers.view().count('annotation')).toBe(0);
});

test('a key with a dot is refused', async () => {
  const annotations = [{ entity: `model-${callers.model}`, annotations: { 'a.b': 'x' } }];
  expect(await callers.call('Annotations', 'Set', { annotations })).toMatchObject({
    results: [{ error: { code: 'not valid' } }],
  });
});
