import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { ownedKinds } from '../../core/model-file/owned.ts';
import * as shared from './shared.ts';
import { charm } from './charms.ts';
import { listOf, mapOf } from './shared.ts';

const holder = z.strictObject({ file: z.string(), user: z.string(), from: z.string(), since: shared.time });

/** Where a file is today: the model uses it, or it is kept for the past, or neither. */
const whereabouts = z.enum(['used', 'kept', 'gone']);

const pastModel = z.strictObject({
  revision: z.int().nonnegative(),
  /** Time of the revision; '' when it is the oldest known. */
  time: z.string(),
  /** Value as of Bundle.ExportBundle. */
  bundle: z.string(),
  /** Value as of ModelConfig.ModelGet, of what was set for the model. */
  config: mapOf(z.strictObject({ value: z.unknown(), source: z.string() })),
  constraints: shared.constraintsResult,
  access: listOf(z.strictObject({ user: z.string(), access: z.string() })),
  /** Users with access to the model or its offers who are no longer there. */
  'missing-users': listOf(z.string()),
  'storage-pools': listOf(
    z.strictObject({ name: z.string(), provider: z.string(), attrs: mapOf(z.unknown()) }),
  ),
  /** Users' secrets. */
  secrets: listOf(
    z.strictObject({
      uri: z.string(),
      label: z.string(),
      description: z.string(),
      /** Applications that could read it. */
      grants: listOf(z.string()),
      /** The revision that was the newest. */
      revision: z.int(),
      /** Where its content is: `used` = it is the newest still. */
      content: whereabouts,
    }),
  ),
  /** The charms of the applications; `used` = the model has the charm. */
  charms: listOf(z.strictObject({ charm, archive: whereabouts })),
  /** Contents of the applications' resources; `used` = the application of that name has it. */
  resources: listOf(z.strictObject({ application: z.string(), name: z.string(), content: whereabouts })),
  /** Machines of today that were not there and that do not go with their last unit. */
  'added-machines': listOf(z.string()),
});

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
        /** '' = a bundle that is deployed: what it makes belongs to no file. */
        file: z.string(),
        /**
         * Revision of the model that the plan was made for: of Owned, which was asked before the model was read.
         * Absent: the plan is carried out whatever has changed since.
         */
        revision: z.int().nonnegative().optional(),
        /** Set for a revert, to the revision that it returns to: what it makes belongs to no file. */
        'revert-to': z.int().nonnegative().optional(),
        /**
         * URLs of charms that steps give to applications after others have left them: they stay in the model until an
         * apply of the file has done all of its plan.
         */
        charms: listOf(z.string()).optional(),
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
    /**
     * Returns the model as it was at a revision, or a time, in the forms in which it is read today, and what is left of
     * what it used. Offers' users and the model's that are no longer there are left out.
     */
    Past: {
      params: z.object({ revision: z.int().nonnegative().optional(), time: z.string().optional() }),
      result: pastModel,
    },
    /** Gives the model again the charm of this URL that it had at the revision, from the archive that was kept. */
    RestoreCharm: {
      params: z.object({ url: z.string(), revision: z.int().nonnegative() }),
      result: shared.noResult,
    },
    /** Gives an application again the content of a resource that it had at the revision, as an upload of it would. */
    RestoreResource: {
      params: z.object({ application: z.string(), resource: z.string(), revision: z.int().nonnegative() }),
      result: shared.noResult,
    },
    /** Returns those of the users to whom no access can be given, as there are none of these names. */
    UnknownUsers: {
      params: z.object({ users: listOf(z.string()) }),
      result: z.strictObject({ users: listOf(z.string()) }),
    },
    /**
     * Returns, for each application and each of the spaces in which a machine of its units has no address, one such
     * machine. A machine that has no address at all may still get any.
     */
    MissingAddresses: {
      params: z.object({
        applications: listOf(z.object({ application: z.string(), spaces: listOf(z.string()) })),
      }),
      result: z.strictObject({
        missing: listOf(z.strictObject({ application: z.string(), space: z.string(), machine: z.string() })),
      }),
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
            /** Set for a revert: the revision that it returns to. */
            'revert-to': z.int().nonnegative().optional(),
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
