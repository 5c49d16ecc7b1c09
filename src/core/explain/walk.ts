import type { Ending, Life } from '../life.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { Impediment } from '../impediments.ts';
import { nameOf, type Explanation, type ExplainView } from './explanation.ts';
import { forceOf } from './force.ts';
import { defined } from '../defined.ts';

/** The context of one explanation, from the explained entity down to the actors. */
export interface Walk {
  readonly view: ExplainView;
  /** Maximum number of causes listed per kind. */
  readonly shownMax: number;
  /** Whether the entity at hand is the explained one, as opposed to a cause below it. */
  readonly root: boolean;
  /** The dying relation that the unit is in the scope of, when that is why the unit is explained. */
  readonly leaving?: RelationDoc;
  /** Explains a cause. An entity that was explained already is only referred to, so that a walk ends. */
  readonly explainCause: (entity: EntityRef, leaving?: RelationDoc) => Explanation;
  /** Entities being explained, from the top down to here: `application mysql`. */
  readonly path: ReadonlySet<string>;
  /** Explains a machine only as far as its agent. */
  readonly explainAgent: (machine: string) => Explanation;
}

/** Maximum number of entities examined to choose those that are listed; the most urgent are listed first. */
export const lookMax = 1000;

/** The fields that every entity's explanation has. */
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
    ...defined({ force }),
    waitsFor: [],
    more: 0,
    above: false,
  };
}

/** A cause that is not a living entity. */
export function leaf({ kind, entity, text }: Impediment): Explanation {
  return { kind, id: entity?.id ?? '', name: kind, text, waitsFor: [], more: 0, above: false };
}

/** A count with its noun: `1 unit`, `99,990 units`. */
export function plural(count: number, noun: string): string {
  const digits = count.toLocaleString('en-US');
  return `${digits} ${noun}${count === 1 ? '' : 's'}`;
}

/** An enumeration: `a`, `a and b`, `a, b and c`. */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
