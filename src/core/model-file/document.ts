import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/** What is known of a model file that was applied to the model. Model space; id = its name. */
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
  quota: {
    name: ({ name }) => `model file ${name}`,
    measures: [{ limit: limits.applyFailure, of: ({ ended }) => ended?.failure }],
    counts: [{ limit: limits.modelFiles, ...ofModel }],
  },
  describe: (before, after, { id }) => {
    const event = (what: string) => [{ subject: `model file ${id}`, what, detail: '', about: [] }];
    if (!after) return [];
    if (after.begun.at !== before?.begun.at || !after.ended)
      return event(`apply of ${id} by ${after.begun.user} from ${after.begun.from} began`);
    const { failure } = after.ended;
    return event(
      `apply of ${id} by ${after.begun.user} ${failure === '' ? 'is done' : `stopped: ${failure}`}`,
    );
  },
});
