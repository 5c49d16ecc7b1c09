import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

export const stringsWatchResult = z.strictObject({
  /** '' beside an error, and in what Next answers. */
  'watcher-id': z.string(),
  changes: listOf(z.string()).optional(),
  error: shared.wireError.optional(),
});

/** A watcher of strings, which the call that made it names by `id`. */
export const stringsWatcher = {
  name: 'StringsWatcher',
  versions: [1],
  on: 'model',
  methods: {
    /** Waits until there are strings that have not been told. */
    Next: { params: shared.noParams, result: stringsWatchResult },
    Stop: { params: shared.noParams, result: shared.noResult },
  },
} as const satisfies FacadeSpec;
