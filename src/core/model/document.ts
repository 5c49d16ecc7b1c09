import type { Constraints } from '../constraints.ts';
import { defineKind } from '../kind.ts';
import type { Ending, Life } from '../life.ts';
import { limits } from '../limits.ts';
import type { Consents } from './consents.ts';
import type { SetBy } from '../model-file/ownership.ts';
import type { ModelProgram } from './upgrade.ts';
import { describeModel } from './history.ts';
import type { Restored } from './restored.ts';

/** A model. Controller space; id = uuid. */
export interface ModelDoc extends Ending {
  readonly uuid: string;
  readonly name: string;
  readonly owner: string;
  readonly life: Life;
  readonly cloud: string;
  readonly region: string;
  /** Id of a CredentialDoc, or ''. */
  readonly credential: string;
  /** Values set for this model; defaults are merged when read. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Values of the document that model files have set. */
  readonly setBy?: SetBy;
  readonly constraints: Constraints;
  readonly createdAt: string;
  /** The end of storage that outlives its machines: destroyed or released; set while the model is dying. */
  readonly storageEnd?: 'destroy' | 'release';
  /** True when the storage pools of the model's cloud were added. */
  readonly defaultPools?: true;
  /** The last restore of a backup of the model; absent = there was none. */
  readonly restored?: Restored;
  /** The program that the model's agents are to have; absent = the controller's, which it gets when that starts. */
  readonly program?: ModelProgram;
  /** Consents to the model's offers from before it came here; absent for a model that was made here. */
  readonly consents?: Consents;
  /** Instances left running by remove-machine --keep-instance; they do not count as strays. */
  readonly keptInstances?: readonly string[];
}

export const model = defineKind<ModelDoc>()({
  space: 'controller',
  idOf: ({ uuid }) => uuid,
  indexes: {
    name: (doc) => `${doc.owner}/${doc.name}`,
    life: (doc) => doc.life,
    owner: (doc) => doc.owner,
  },
  quota: {
    name: ({ name }) => `model ${name}`,
    measures: [{ limit: limits.modelConfig, members: ['config'] }],
    counts: [
      {
        limit: limits.modelsOfUser,
        index: 'owner',
        value: ({ owner }) => owner,
        whose: ({ owner }) => `user ${owner}`,
      },
    ],
  },
  describe: describeModel,
});
