/** The kinds of the product and an additional one, for a test that all else follows from a kind's specification. */
import { defineKind } from '../core/kind.ts';
import { kinds as ofProduct } from '../core/kinds.ts';

export interface NoteDoc {
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

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

export const kinds = { ...ofProduct, note };
