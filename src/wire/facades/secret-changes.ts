/** Changes of secrets by a hook: applied in one transaction with its other changes, each list before the next. */
import { z } from 'zod';
import { rotatePolicies } from '../../core/secret/rotate.ts';

const text = z.string();
/** Content of a secret: key → value in base64. */
export const secretContent = z.record(text, text);
const settings = {
  label: text.exactOptional(),
  description: text.exactOptional(),
  rotate: z.enum(rotatePolicies).exactOptional(),
  /** Time or duration, as parseExpiry reads it. */
  expire: text.exactOptional(),
};
const subject = z.object({ kind: z.enum(['application', 'unit']), id: text });

export const secretChanges = z.object({
  create: z.array(
    z.object({ id: text, owner: z.enum(['application', 'unit']), content: secretContent, ...settings }),
  ),
  update: z.array(z.object({ id: text, content: secretContent.exactOptional(), ...settings })),
  /** Secrets whose newest revision the unit tracks from now on. */
  track: z.array(text),
  grant: z.array(z.object({ id: text, subject, relation: z.number() })),
  revoke: z.array(z.object({ id: text, subject })),
  /** Secrets to remove; `revision`: only this revision. */
  remove: z.array(z.object({ id: text, revision: z.number().exactOptional() })),
});
export type SecretChanges = z.output<typeof secretChanges>;

/** Rotation or expiry that a hook was about; a repeated record changes nothing. */
export const secretTime = z.object({
  kind: z.enum(['rotated', 'expired']),
  secret: text,
  /** The expired revision, or the newest one when the hook began. */
  revision: z.number(),
  due: text,
});
export type SecretTime = z.output<typeof secretTime>;

/** News of a secret that a hook told the charm, which is not told again. */
export const secretTold = z.object({
  kind: z.enum(['changed', 'obsolete']),
  secret: text,
  /** The revision that is new, or obsolete. */
  revision: z.number(),
});
export type SecretTold = z.output<typeof secretTold>;

/** Facts that an owner may know of its secret. */
const secretInfo = z.object({
  id: text,
  revision: z.number(),
  label: text,
  description: text,
  owner: z.enum(['application', 'unit']),
  rotate: z.enum(rotatePolicies),
  /** Time of expiry (RFC 3339). */
  expires: text.exactOptional(),
  rotates: text.exactOptional(),
  access: z.array(z.object({ target: text, scope: text, role: text })),
});
export type SecretInfo = z.output<typeof secretInfo>;

const ofUnit = { unit: text };

/** Methods of MachineAgent for secrets. */
export const secretMethods = {
  /** Returns new ids; a secret with one of them exists when a hook has committed it. */
  NewSecretIds: {
    params: z.object({ ...ofUnit, count: z.number() }),
    result: z.object({ ids: z.array(text) }),
  },
  /**
   * Reads a secret by id or by label, and makes the unit track its newest revision when it is the first time, or with
   * `refresh`. `label` with an id: the unit knows the secret by it from now on. Errors: `not found`, `unauthorized
   * access`.
   */
  SecretContent: {
    params: z.object({ ...ofUnit, id: text, label: text, peek: z.boolean(), refresh: z.boolean() }),
    result: z.object({ id: text, revision: z.number(), content: secretContent }),
  },
  /** Lists the secrets of the unit and its application; with an id or a label, only that secret, with its readers. */
  OwnSecrets: {
    params: z.object({ ...ofUnit, id: text, label: text }),
    result: z.object({ secrets: z.array(secretInfo) }),
  },
} as const;
