import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';

/** A cloud credential. Controller space; id = `<cloud>_<owner>_<name>`. */
export interface CredentialDoc {
  readonly cloud: string;
  readonly owner: string;
  readonly name: string;
  readonly authType: string;
  /** Attributes; those that the provider declares secret, or does not know, are sealed (controller/sealer.ts). */
  readonly attributes: Readonly<Record<string, string>>;
  /** Set when the credential was revoked or found invalid: it cannot be used until it is updated. */
  readonly revoked?: true;
  /** Reason that was given by the worker or user who found the credential invalid; absent when it was revoked. */
  readonly invalidReason?: string;
  /**
   * Set when the owner was removed: models may go on using the credential, but a later user of the owner's name does
   * not get it.
   */
  readonly left?: true;
}

/** The id `<cloud>_<owner>_<name>`. */
export function credentialId({
  cloud,
  owner,
  name,
}: Pick<CredentialDoc, 'cloud' | 'owner' | 'name'>): string {
  return `${cloud}_${owner}_${name}`;
}

export const credential = defineKind<CredentialDoc>()({
  space: 'controller',
  idOf: credentialId,
  indexes: { owner: (doc) => doc.owner },
  quota: {
    name: ({ name }) => `credential ${name}`,
    measures: [{ limit: limits.invalidReason, of: ({ invalidReason = '' }) => invalidReason }],
    counts: [
      {
        limit: limits.credentialsOfUser,
        index: 'owner',
        value: ({ owner }) => owner,
        whose: ({ owner }) => `user ${owner}`,
      },
    ],
  },
});
