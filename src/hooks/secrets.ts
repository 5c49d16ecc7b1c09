/** Secrets as a hook sees them, and its changes of them, which are applied when the hook is committed. */
import type { RotatePolicy } from '../core/secret/rotate.ts';
import type { SecretContent } from '../core/secret/content.ts';
import type { SecretSubject } from '../core/secret-grant/document.ts';

/** The controller's answers about secrets. */
export interface HookSecrets {
  newId(): Promise<string>;
  /** Reads a secret by id or label. Errors: `not found`, `unauthorized access`. */
  read(reading: {
    readonly id: string;
    readonly label: string;
    readonly peek: boolean;
    readonly refresh: boolean;
  }): Promise<{ readonly id: string; readonly content: SecretContent }>;
  /** Returns all own secrets, or one by id or label. Errors: `not found`. */
  own(query?: { readonly id?: string; readonly label?: string }): Promise<readonly OwnSecret[]>;
}

/** Secret of the unit or its application. */
export interface OwnSecret {
  readonly id: string;
  readonly revision: number;
  readonly label: string;
  readonly description: string;
  readonly owner: 'application' | 'unit';
  readonly rotate: RotatePolicy;
  /** Time of expiry in RFC 3339. */
  readonly expires?: string;
  readonly rotates?: string;
  readonly access: readonly { readonly target: string; readonly scope: string; readonly role: string }[];
}

export interface SecretSettings {
  readonly label?: string;
  readonly description?: string;
  readonly rotate?: RotatePolicy;
  /** Expiry as a time or duration, checked. */
  readonly expire?: string;
}

/** Deferred changes of secrets, each list committed before the next. */
export interface SecretEdits {
  /** New secrets by id, as `update`. */
  readonly create: Map<
    string,
    SecretSettings & { readonly owner: 'application' | 'unit'; readonly content: SecretContent }
  >;
  readonly update: Map<string, SecretSettings & { readonly content?: SecretContent }>;
  readonly track: Set<string>;
  readonly grant: { readonly id: string; readonly subject: SecretSubject; readonly relation: number }[];
  readonly revoke: { readonly id: string; readonly subject: SecretSubject }[];
  readonly remove: { readonly id: string; readonly revision?: number }[];
  /** Secrets that the hook has added and removed: the controller never hears of them. */
  readonly dropped: Set<string>;
}

export function newSecretEdits(): SecretEdits {
  return {
    create: new Map(),
    update: new Map(),
    track: new Set(),
    grant: [],
    revoke: [],
    remove: [],
    dropped: new Set(),
  };
}

/** Returns the id of the secret to which the hook gives the label. */
export function labelledByHook({ create, update }: SecretEdits, label: string): string | undefined {
  return [...create, ...update].find(([, settings]) => settings.label === label)?.[0];
}
