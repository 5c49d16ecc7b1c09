/**
 * Facades of which this controller has no method yet: they are announced so that a client is told, in a sentence, what
 * is missing (facades.md).
 */
import { notSupported, type FacadeSpec } from '../facade-spec.ts';

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
