import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JournalCommit } from '../mirror/journal.ts';
import { openDatabase } from './open-database.ts';
import { schema } from './schema.ts';
import { SqliteJournal } from './sqlite-journal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = '2026-01-01T00:00:00.000Z';
function open(): SqliteJournal {
  return new SqliteJournal({
    path: join(folder, 'store.db'),
    ...openDatabase({ path: join(folder, 'store.db'), steps: schema, maxBytes: undefined }),
    isDamaged: false,
    revisionsKept: 10,
    pastValues: undefined,
    quiet: {},
    findBy: {
      thing: {
        name: () => {
          throw new Error('the disk failed');
        },
      },
    },
  });
}
function put(revision: number, id: string): JournalCommit {
  const entry = { id, seq: revision, revision, born: revision, doc: { id }, long: undefined, size: 0 };
  return {
    revision,
    at,
    by: 'test',
    changes: [{ space: '', kind: 'thing', id, seq: revision, before: undefined, after: entry }],
  };
}
function remove(revision: number, made: JournalCommit): JournalCommit {
  const [{ after: before, ...change }] = made.changes as [JournalCommit['changes'][number]];
  return { revision, at, by: 'test', changes: [{ ...change, seq: revision, before, after: undefined }] };
}
function loaded(journal: SqliteJournal): string[] {
  const ids: string[] = [];
  journal.load((_space, _kind, { id }) => ids.push(id));
  return ids;
}

test('an append that fails in the middle stores nothing, and later commits are stored', () => {
  let journal = open();
  const first = put(1, 'first');
  journal.append([first]);
  expect(() => journal.append([put(2, 'second'), remove(3, first)])).toThrow('the disk failed');
  journal.append([put(2, 'third')]);
  expect(loaded(journal)).toEqual(['first', 'third']);
  journal.close();
  journal = open();
  expect(loaded(journal)).toEqual(['first', 'third']);
  journal.close();
});
