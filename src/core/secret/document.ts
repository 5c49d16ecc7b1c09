import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { unitApplication } from '../names.ts';
import { ofModel } from '../quota.ts';
import { describeSecret } from './history.ts';
import type { RotatePolicy } from './rotate.ts';
import type { Made, SetBy } from '../model-file/ownership.ts';

/** The owner of a secret: an application or unit by name, or the model (a user's secret), whose id is ''. */
export interface SecretOwner {
  readonly kind: 'application' | 'unit' | 'model';
  readonly id: string;
}

/** A secret without its contents, which are in no document. Model space; id = xid. */
export interface SecretDoc extends Made {
  readonly id: string;
  readonly owner: SecretOwner;
  /** The owner's name for the secret; '' = none. */
  readonly label: string;
  readonly description: string;
  readonly rotate: RotatePolicy;
  /** When the secret is to be rotated next, RFC 3339; absent without a policy. */
  readonly nextRotate?: string;
  /** Set when the owner is to rotate the secret now: the time that the rotation was due at. */
  readonly rotating?: string;
  /** The number of the newest revision that there ever was. */
  readonly latest: number;
  /** Whether revisions that nobody uses are removed at once; of the model's secrets only. */
  readonly autoPrune: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Values of the document that model files have set. */
  readonly setBy?: SetBy;
}

/** The index value of an owner. */
export function ownerKey({ kind, id }: SecretOwner): string {
  return `${kind} ${id}`;
}

/** The application of an owner; '' = the model. */
export function ownerApplication({ kind, id }: SecretOwner): string {
  return kind === 'unit' ? unitApplication(id) : id;
}

export const secret = defineKind<SecretDoc>()({
  space: 'model',
  idOf: ({ id }) => id,
  indexes: {
    owner: ({ owner }) => ownerKey(owner),
    /** Secrets with a label, by owner and label. */
    label: ({ owner, label }) => (label === '' ? undefined : `${ownerKey(owner)} ${label}`),
    /** Secrets by the owner's application and label: units and their application do not share labels. */
    labelOfAll: ({ owner, label }) =>
      label === '' || owner.kind === 'model' ? undefined : `${ownerApplication(owner)} ${label}`,
    /** Secrets whose next rotation a worker waits for. */
    timed: ({ nextRotate, rotating }) =>
      nextRotate !== undefined && rotating === undefined ? 'timed' : undefined,
  },
  findRemovedBy: ['owner'],
  quota: {
    measures: [
      { limit: limits.secretLabel, members: ['label'] },
      { limit: limits.secretDescription, members: ['description'] },
    ],
    counts: [{ limit: limits.secrets, ...ofModel }],
  },
  upkeep: 'old',
  describe: describeSecret,
});
