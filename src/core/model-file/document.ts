import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/** Names of the records of reverts and of bundles that were deployed, which no file can have. */
export const revertRecord = '-revert';
export const bundleRecord = '-bundle';

/**
 * What is known of a model file that was applied to the model, or of reverts or bundles (see above). Model space; id =
 * its name.
 */
interface ModelFileDoc {
  readonly name: string;
  /** The newest apply of the file. */
  readonly begun: Begun;
  /** Absent while the apply is carried out, and when its client went away without a word. */
  readonly ended?: Ended;
}

export interface Begun {
  /** RFC 3339. */
  readonly at: string;
  /** The user who applies the file. */
  readonly user: string;
  /** The address of the user's client. */
  readonly from: string;
  /** The revision that the model is returned to; set for a revert. */
  readonly revertTo?: number;
  /**
   * URLs of charms that stay in the model though no application uses them for a while: a step is to take them. Absent
   * when there is none, and once the apply has done all of its plan; one that stopped is to be continued.
   */
  readonly charms?: readonly string[];
}

interface Ended {
  /** RFC 3339. */
  readonly at: string;
  /** Why the apply stopped before its end; '' = it did all of its plan. */
  readonly failure: string;
}

export const modelFile = defineKind<ModelFileDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  indexes: { charm: ({ begun }) => begun.charms },
  quota: {
    name: ({ name }) => `model file ${name}`,
    measures: [
      { limit: limits.applyFailure, of: ({ ended }) => ended?.failure },
      { limit: limits.charmsOfApply, of: ({ begun }) => begun.charms },
    ],
    counts: [{ limit: limits.modelFiles, ...ofModel }],
  },
  describe: (before, after, { id }) => {
    // An apply that has ended before there was a record of it came with the model from another controller.
    if (!after || (!before && after.ended)) return [];
    const { user, from, at, revertTo } = after.begun;
    const isFile = id !== revertRecord && id !== bundleRecord;
    const event = (what: string) => [
      { subject: isFile ? `model file ${id}` : 'model', what, detail: '', about: [] },
    ];
    const doing = id === bundleRecord ? 'deploy of a bundle' : `revert to revision ${revertTo}`;
    const subject = `${isFile ? `apply of ${id}` : doing} by ${user}`;
    if (at !== before?.begun.at || !after.ended) return event(`${subject} from ${from} began`);
    const { failure } = after.ended;
    return event(`${subject} ${failure === '' ? 'is done' : `stopped: ${failure}`}`);
  },
});
