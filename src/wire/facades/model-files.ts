import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { ownedKinds } from '../../core/model-file/owned.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

const holder = z.strictObject({ file: z.string(), user: z.string(), from: z.string(), since: shared.time });

/**
 * Extension of grigri: files that describe a whole model, which are applied again and again, and what they have made
 * (model-files.md#ownership).
 */
export const modelFiles = {
  name: 'ModelFiles',
  versions: [1],
  own: true,
  on: 'both',
  methods: {
    /**
     * Holds the connection's model until End, or until the connection ends: what the connection makes is the file's.
     * Refused while another holds it, and when what users declare has changed since the revision.
     */
    Begin: {
      params: z.object({
        file: z.string(),
        /** Revision of the model that the plan was made for: of Owned, which was asked before the model was read. */
        revision: z.int().nonnegative(),
      }),
      result: shared.noResult,
    },
    /** Makes changes of this connection to the controller, such as offers, part of the caller's apply to the model. */
    Join: { params: z.object({ 'model-tag': z.string() }), result: shared.noResult },
    /** Ends the apply of this connection. `failure`: why it stopped; '' = all of the plan is done. */
    End: { params: z.object({ failure: z.string() }), result: shared.noResult },
    /** Returns what the file has made or set, and the revision of the model at which that is so. */
    Owned: {
      params: z.object({ file: z.string() }),
      result: z.strictObject({
        revision: z.int().nonnegative(),
        /** Names as core/model-file/owned.ts has them. */
        owned: listOf(z.strictObject({ kind: z.enum(ownedKinds), name: z.string() })),
      }),
    },
    /** Returns those of the users to whom no access can be given, as there are none of these names. */
    UnknownUsers: {
      params: z.object({ users: listOf(z.string()) }),
      result: z.strictObject({ users: listOf(z.string()) }),
    },
    /** Returns who applies a file to the model now, and each file's newest apply. */
    Status: {
      params: shared.noParams,
      result: z.strictObject({
        holder: holder.optional(),
        files: listOf(
          z.strictObject({
            name: z.string(),
            user: z.string(),
            from: z.string(),
            began: shared.time,
            /** Absent while the apply is carried out, and when its client went away without a word. */
            ended: shared.time.optional(),
            /** Why the apply stopped; absent when it did all of its plan. */
            failure: z.string().optional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
