import type { Kind } from '../kinds.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { LivingKind } from '../entity-ref.ts';
import type { Refs } from '../impediments.ts';
import { livingKinds } from '../living.ts';

export type Lives = Readonly<Record<LivingKind, Set<string>>>;

export function noLives(): Lives {
  return Object.fromEntries(livingKinds.map((kind) => [kind, new Set()])) as unknown as Lives;
}

/** A view of the model in which the entities of `dying` are dying. */
export function withDying(refs: Refs, dying: Lives): Refs {
  const sets: Readonly<Partial<Record<Kind, ReadonlySet<string>>>> = dying;
  const isDying = (kind: Kind, id: string): boolean => sets[kind]?.has(id) === true;
  return {
    get: (kind, id) => {
      const doc = refs.get(kind, id);
      return doc && 'life' in doc && doc.life === 'alive' && isDying(kind, id)
        ? { ...doc, life: 'dying' }
        : doc;
    },
    list: (kind) => refs.list(kind),
    // Callers of find read the life of relations only.
    *find(kind, index, value) {
      for (const doc of refs.find(kind, index, value))
        if (kind === 'relation' && isDying(kind, String((doc as RelationDoc).id)))
          yield { ...doc, life: 'dying' };
        else yield doc;
    },
    count: (kind, index, value) => refs.count(kind, index, value),
  };
}
