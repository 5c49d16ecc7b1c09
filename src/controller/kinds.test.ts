import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { LivingKind } from '../core/entity-ref.ts';
import type { PastNames } from '../core/history/event.ts';
import type { PastChange } from '../core/history/past-change.ts';
import { kinds, type Entities, type Kind } from '../core/kinds.ts';
import type { Ending, Life } from '../core/life.ts';
import type { Reader, Store } from '../store/store.ts';

interface NoteDoc {
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

/** The product with an additional kind that only its own specification and its line in `kinds` know. */
async function withNotes() {
  vi.resetModules();
  vi.doMock('../core/kinds.ts', async (importActual) => {
    const actual = await importActual<typeof import('../core/kinds.ts')>();
    const { defineKind } = await import('../core/kind.ts');
    const note = defineKind<NoteDoc>()({
      space: 'model',
      idOf: ({ name }) => name,
      indexes: { about: (doc) => doc.about },
      findRemovedBy: ['about'],
      quota: { measures: [{ limit: { max: 100, unit: 'bytes', of: 'text' }, members: ['text'] }] },
      describe: (before, after, { id }) => [
        {
          subject: `note ${id}`,
          what: before ? (after ? 'changed' : 'removed') : 'written',
          detail: '',
          about: [],
        },
      ],
    });
    return { ...actual, kinds: { ...actual.kinds, note } };
  });
  const [{ modelFixture }, { documentsOf, removeModel }, { describeChange }] = await Promise.all([
    import('../testing/model-fixture.ts'),
    import('./transactions/end/remove-model.ts'),
    import('../core/history/describe-change.ts'),
  ]);
  return { modelFixture, documentsOf, removeModel, describeChange };
}
afterEach(() => {
  vi.doUnmock('../core/kinds.ts');
  vi.resetModules();
});

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
