import { expect, test } from 'vitest';
import { refuseFrozen, type Written } from './frozen.ts';
import type { Phase } from './phases.ts';

/** Writes of a document while the model `m` is in the phase. */
function writing(phase: Phase | undefined, space: string, kind: string, id: string): () => void {
  const docs = {
    migration: phase && { phase, target: { uuid: 'u', alias: 'new' } },
    model: { owner: 'admin', name: 'shop' },
  };
  const peek = ((of: keyof typeof docs, model: string) =>
    model === 'm' ? docs[of] : undefined) as Written['peek'];
  const entry = { doc: { model: id.slice(id.lastIndexOf(' ') + 1) } };
  return () => {
    // A document is of the model before its removal, too.
    for (const state of [{ after: entry }, { before: entry }])
      refuseFrozen({ spaces: [space], writes: () => [{ space, kind, id, ...state }], peek });
  };
}

test.each<[Phase | undefined, boolean]>([
  [undefined, false],
  ['QUIESCE', true],
  ['IMPORT', true],
  ['VALIDATION', true],
  ['SUCCESS', true],
  ['REAP', false],
  ['DONE', false],
  ['ABORT', false],
  ['ABORTDONE', false],
])('in phase %s, that a model is frozen is %s', (phase, isFrozen) => {
  for (const [space, kind, id] of [
    ['m', 'unit', 'a/0'],
    ['', 'model', 'm'],
    ['', 'access', 'bob m'],
    ['', 'offer-access', 'bob m'],
  ] as const)
    if (isFrozen)
      expect(writing(phase, space, kind, id)).toThrow(
        `model migration in progress: model "admin/shop" goes to controller "new", in phase ${phase}: try again`,
      );
    else expect(writing(phase, space, kind, id)).not.toThrow();
});

test('other models, and what else the controller keeps, change while a model is migrated', () => {
  for (const [space, kind, id] of [
    ['n', 'unit', 'a/0'],
    ['', 'model', 'n'],
    ['', 'access', 'm n'],
    ['', 'offer-access', 'm n'],
    ['', 'migration', 'm'],
    ['', 'user', 'm'],
  ] as const)
    expect(writing('IMPORT', space, kind, id)).not.toThrow();
});
