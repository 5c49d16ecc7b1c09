import type { Ending, Life } from '../life.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { Impediment } from '../impediments.ts';
import { nameOf, type Explanation, type ExplainView } from './explanation.ts';
import { forceOf } from './force.ts';

/** One walk from what was asked about down to who must act. */
export interface Walk {
  readonly view: ExplainView;
  /** Of each kind that stands in the way, so many are listed. */
  readonly most: number;
  /** It is what was asked about, and not something on the way. */
  readonly root: boolean;
  /** The unit is asked about because it is in the scope of this dying relation. */
  readonly leaving?: RelationDoc;
  /** Further down: what was told already is only referred to, so that a walk ends. */
  readonly tell: (entity: EntityRef, leaving?: RelationDoc) => Explanation;
  /** What is being told, from the top down to here: `application mysql`. */
  readonly path: ReadonlySet<string>;
  /** The same, for nothing but its machine's agent. */
  readonly tellAgent: (machine: string) => Explanation;
}

/** So many are looked at to choose those that are listed: what has trouble comes first. */
export const lookMax = 1000;

/** What is the same for every entity. */
export function head(
  entity: EntityRef,
  { life, dyingSince }: Ending & { readonly life: Life },
  view: ExplainView,
): Omit<Explanation, 'text'> {
  const force = life === 'alive' ? undefined : forceOf(entity, view);
  return {
    kind: entity.kind,
    id: entity.id,
    name: nameOf(entity, view),
    life,
    ...(life !== 'alive' && dyingSince !== undefined ? { since: dyingSince } : {}),
    ...(force ? { force } : {}),
    waitsFor: [],
    more: 0,
    above: false,
  };
}

/** What stands in the way and has no life of its own. */
export function leaf({ kind, entity, text }: Impediment): Explanation {
  return { kind, id: entity?.id ?? '', name: kind, text, waitsFor: [], more: 0, above: false };
}

/** `1 unit`, `99,990 units` */
export function plural(count: number, what: string): string {
  const digits = count.toLocaleString('en-US');
  return `${digits} ${what}${count === 1 ? '' : 's'}`;
}

/** `a`, `a and b`, `a, b and c` */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
