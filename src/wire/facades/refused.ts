/**
 * Facades of which this controller has no method yet: they are announced so that a client is told, in a sentence, what
 * is missing (facades.md).
 */
import { notSupported, type FacadeSpec } from '../facade-spec.ts';

const imageMetadata = notSupported('custom image metadata');
/** Nothing here reads such records: images come from where the model's settings or add-local-image say. */
export const imageMetadataManager = {
  name: 'ImageMetadataManager',
  versions: [1],
  on: 'model',
  methods: {},
  notServed: { Delete: imageMetadata, List: imageMetadata, Save: imageMetadata },
} as const satisfies FacadeSpec;

const branches = notSupported('branches of models are');
export const modelGeneration = {
  name: 'ModelGeneration',
  versions: [4],
  on: 'model',
  methods: {},
  notServed: {
    AbortBranch: branches,
    AddBranch: branches,
    BranchInfo: branches,
    CommitBranch: branches,
    HasActiveBranch: branches,
    ListCommits: branches,
    ShowCommit: branches,
    TrackBranch: branches,
  },
} as const satisfies FacadeSpec;
