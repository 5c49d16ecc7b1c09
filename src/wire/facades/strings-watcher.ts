import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

export const stringsWatchResult = z.strictObject({
  /** Id of the watcher; '' beside an error, and in answers of Next. */
  'watcher-id': z.string(),
  changes: listOf(z.string()).optional(),
  error: shared.wireError.optional(),
});

/** Watcher of strings; the call that created it returns its `id`. */
export const stringsWatcher = {
  name: 'StringsWatcher',
  versions: [1],
  on: 'model',
  methods: shared.watcherMethods(stringsWatchResult),
} as const satisfies FacadeSpec;
