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
  /** Set when the credential was revoked: it cannot be used until it is updated. */
  readonly revoked?: true;
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
