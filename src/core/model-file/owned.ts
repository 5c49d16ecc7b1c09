/** What a file made in a model: only that may be removed because the file no longer names it. */
import type { ModelStep } from './step.ts';

export const ownedKinds = [
  'application',
  'relation',
  'offer',
  'saas',
  'secret',
  /** The right of an application to read a secret: `SECRET APPLICATION`. */
  'secret-grant',
  'storage-pool',
  /** A user's access to the model. */
  'access',
  /** A value of the model's configuration. */
  'setting',
  'model-constraints',
  /** An option that was set: `APPLICATION OPTION`. */
  'option',
  /** The constraints of an application. */
  'constraints',
  'expose',
] as const;

export type OwnedKind = (typeof ownedKinds)[number];

/** A thing that a file made: its kind and its name, which is `model` for the model's constraints. */
export interface Owned {
  readonly kind: OwnedKind;
  readonly name: string;
}

/** What a file made, as the keys of its things (ownedKey). */
export type OwnedThings = ReadonlySet<string>;

export function ownedKey({ kind, name }: Owned): string {
  return `${kind} ${name}`;
}

/** The things that a step makes, or sets, and that belong to the file from then on. */
export function ownedBy(step: ModelStep): readonly Owned[] {
  switch (step.kind) {
    case 'deploy':
      return [
        { kind: 'application', name: step.application },
        ...optionsOf(step),
        ...(Object.keys(step.constraints).length > 0
          ? [{ kind: 'constraints', name: step.application } as const]
          : []),
      ];
    case 'set-options':
      return optionsOf(step);
    case 'set-constraints':
      return [{ kind: 'constraints', name: step.application }];
    case 'expose':
      return [{ kind: 'expose', name: step.application }];
    case 'offer':
      return step.changes ? [] : [{ kind: 'offer', name: step.offer }];
    case 'consume':
      return [{ kind: 'saas', name: step.saas }];
    case 'integrate':
      return [{ kind: 'relation', name: relationName(step.endpoints) }];
    case 'set-settings':
      return Object.keys(step.values).map((name) => ({ kind: 'setting', name }));
    case 'set-model-constraints':
      return [{ kind: 'model-constraints', name: 'model' }];
    case 'set-access':
      return step.access === undefined || step.was !== undefined ? [] : [{ kind: 'access', name: step.user }];
    case 'set-pool':
      return step.changes ? [] : [{ kind: 'storage-pool', name: step.pool }];
    case 'set-secret':
      return step.changes ? [] : [{ kind: 'secret', name: step.secret }];
    case 'grant-secret':
      return [{ kind: 'secret-grant', name: `${step.secret} ${step.application}` }];
    default:
      return [];
  }
}

/** A relation by its two ends, in whichever order they are written: `blog:db mysql:server`. */
export function relationName(endpoints: readonly [string, string]): string {
  return [...endpoints].sort((a, b) => (a < b ? -1 : 1)).join(' ');
}

function optionsOf({
  application,
  options,
}: {
  readonly application: string;
  readonly options: Readonly<Record<string, unknown>>;
}): Owned[] {
  return Object.keys(options).map((name) => ({ kind: 'option', name: `${application} ${name}` }));
}
