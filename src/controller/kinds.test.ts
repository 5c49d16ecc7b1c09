import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LivingKind } from '../core/entity-ref.ts';
import type { PastNames } from '../core/history/event.ts';
import type { PastChange } from '../core/history/past-change.ts';
import { kinds, type Entities, type Kind } from '../core/kinds.ts';
import type { Ending, Life } from '../core/life.ts';
import type { Reader, Store } from '../store/store.ts';
import type { NoteDoc } from '../testing/kinds-with-note.ts';

/** Ends the address of each module of a second copy of the product, whose `kinds` are those of kinds-with-note.ts. */
const copy = '?with-note';

/** The product with an additional kind that only its own specification and its line in `kinds` know. */
async function withNotes() {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL: by } = context;
      const found = next(specifier, context);
      if (!by?.endsWith(copy) || found.url.includes('/node_modules/') || !found.url.startsWith('file:'))
        return found;
      const isKinds = found.url.endsWith('/src/core/kinds.ts') && !by.includes('/kinds-with-note.ts');
      const url = isKinds ? new URL('../testing/kinds-with-note.ts', import.meta.url).href : found.url;
      return { ...found, url: url.endsWith(copy) ? url : `${url}${copy}` };
    },
  });
  try {
    const [{ modelFixture }, { documentsOf, removeModel }, { describeChange }] = await Promise.all([
      import(`../testing/model-fixture.ts${copy}`) as Promise<typeof import('../testing/model-fixture.ts')>,
      import(`./transactions/end/remove-model.ts${copy}`) as Promise<
        typeof import('./transactions/end/remove-model.ts')
      >,
      import(`../core/history/describe-change.ts${copy}`) as Promise<
        typeof import('../core/history/describe-change.ts')
      >,
    ]);
    return { modelFixture, documentsOf, removeModel, describeChange };
  } finally {
    hooks.deregister();
  }
}

test('a new kind is stored, found, limited, described and removed with its model by its one specification', async () => {
  const { modelFixture, documentsOf, removeModel, describeChange } = await withNotes();
  await using model = await modelFixture();
  const store = model.store as unknown as Store<{ note: NoteDoc }>;
  const notes = (): Reader<{ note: NoteDoc }> => store.read().in(model.uuid);
  const put = (text: string): Promise<void> =>
    store.change((tx) => tx.in(model.uuid).put('note', 'a', { name: 'a', about: 'mysql', text }), 'test');

  await put('hello');
  expect(notes().find('note', 'about', 'mysql')).toMatchObject([{ text: 'hello' }]);
  await expect(put('x'.repeat(200))).rejects.toThrow('text of note a: 202 bytes exceed the limit of 100');
  const [commit] = store.past({ space: model.uuid });
  const change: unknown = commit?.changes(1)[0];
  expect(describeChange(change as PastChange, {} as PastNames)).toMatchObject([
    { subject: 'note a', what: 'written' },
  ]);

  expect(documentsOf(model.view())).toContainEqual({ kind: 'note', id: 'a' });
  await model.store.change((tx) => removeModel(tx, model.uuid), 'test');
  expect([...notes().list('note')]).toEqual([]);
  expect(store.removed(model.uuid, 'note', 'about', 'mysql')).toEqual(['a']);
});

test('each kind of document is defined in core/<kind>/document.ts', () => {
  const missing = Object.keys(kinds).filter(
    (kind) => !existsSync(join(import.meta.dirname, '../core', kind, 'document.ts')),
  );
  expect(missing).toEqual([]);
});

test('LivingKind names the kinds that have a life', () => {
  type WithLife = {
    [P in Kind]: Entities[P] extends Ending & { readonly life: Life } ? P : never;
  }[Kind];
  // The compiler checks the equality.
  const named: Record<WithLife, true> & Record<LivingKind, true> = {
    application: true,
    machine: true,
    model: true,
    relation: true,
    unit: true,
  };
  const both: readonly (LivingKind & WithLife)[] = Object.keys(named) as (LivingKind | WithLife)[];
  expect(both).toHaveLength(5);
});
