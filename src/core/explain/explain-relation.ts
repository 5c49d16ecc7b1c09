import type { RelationDoc } from '../relation/document.ts';
import { impediments } from '../impediments.ts';
import type { Explanation, Removal } from './explanation.ts';
import { entry, troubleOfRelation } from './explain-saas.ts';
import { troubleOf } from './trouble.ts';
import { head, leaf, lookMax, plural, type Walk } from './walk.ts';
import { defined } from '../defined.ts';

export function explainRelation(
  relation: RelationDoc,
  { view, root, shownMax, explainCause }: Walk,
): Explanation {
  const id = String(relation.id);
  const remote = relation.remote?.application ?? '';
  const entity = { kind: 'relation', id } as const;
  const about = head(entity, relation, view);
  const count = view.count('scope', 'local', id);
  const membersText = count === 1 ? '1 unit is in its scope' : `${plural(count, 'unit')} are in its scope`;
  const trouble = troubleOfRelation(relation, view);
  if (relation.life === 'alive')
    return {
      ...about,
      text: `${trouble?.text ?? 'no problems found'}; ${membersText}`,
      ...defined({ actor: trouble?.actor }),
      ...defined({ removal: root ? removal(relation) : undefined }),
    };
  const found = impediments(entity, view, lookMax);
  const untold = found
    .filter(({ kind }) => kind === 'other-side')
    .map((one) => ({
      ...leaf(one),
      actor: {
        kind: 'cleaner' as const,
        name: about.name,
        task: 'tells the offering model',
        commands: [{ line: `remove-relation ${id} --force`, effect: 'does not wait for that' }],
      },
      waitsFor: trouble ? [entry('saas', remote, `saas ${remote}`, trouble)] : [],
    }));
  const units = found.flatMap((one) => {
    const unit = one.entity && view.get('unit', one.entity.id);
    return unit ? [{ unit, trouble: troubleOf(unit, view) }] : [];
  });
  const shown = units.sort((a, b) => b.trouble - a.trouble).slice(0, shownMax);
  return {
    ...about,
    text: count === 0 ? 'no unit is in its scope any more' : membersText,
    ...(count === 0 && untold.length === 0
      ? { actor: { kind: 'cleaner', name: about.name, task: 'removes the record', commands: [] } }
      : {}),
    waitsFor: [
      ...shown.map(({ unit }) => explainCause({ kind: 'unit', id: unit.name }, relation)),
      ...untold,
    ],
    more: count - shown.length,
  };
}

function removal({ id, key, endpoints }: RelationDoc): Removal {
  const [first] = endpoints;
  if (endpoints.length > 1 || !first)
    return {
      refused: '',
      commands: [{ line: `remove-relation ${id}`, effect: `makes every unit leave ${key}` }],
    };
  return {
    refused: 'a peer relation is removed with its application',
    commands: [{ line: `remove-application ${first.application}`, effect: 'removes both' }],
  };
}
