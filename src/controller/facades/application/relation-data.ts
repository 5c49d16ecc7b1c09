import { settingsId } from '../../../core/settings/document.ts';
import { scopeId } from '../../../core/scope/document.ts';
import type { RelationDoc } from '../../../core/relation/document.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { View } from '../../transactions/tx.ts';

interface EndpointRelationData {
  readonly endpoint: string;
  readonly 'related-endpoint': string;
  readonly 'relation-id': number;
  readonly 'cross-model': boolean;
  /** Databag of the other application, or of the application itself in a peer relation. */
  readonly ApplicationData: Readonly<Record<string, string>>;
  /** Databags of the unit itself and of the units that it sees. */
  readonly 'unit-relation-data': Readonly<
    Record<string, { readonly InScope: boolean; readonly UnitData: Readonly<Record<string, string>> }>
  >;
}

/** Relations of a unit as show-unit shows them. */
export function relationData(view: View, unit: UnitDoc): EndpointRelationData[] {
  return [...view.find('relation', 'application', unit.application)].map((relation) => {
    const ownEndpoint = relation.endpoints.find((end) => end.application === unit.application)!;
    const otherEndpoint =
      relation.endpoints.find((end) => end.application !== unit.application) ?? ownEndpoint;
    return {
      endpoint: ownEndpoint.name,
      'related-endpoint': otherEndpoint.name,
      'relation-id': relation.id,
      'cross-model': relation.remote !== undefined,
      ApplicationData: databag(view, relation, otherEndpoint.application),
      'unit-relation-data': Object.fromEntries(
        [unit.name, ...seenUnits(view, relation, unit, otherEndpoint.application)].map((name) => [
          name,
          {
            InScope: view.get('scope', scopeId({ relation: relation.id, unit: name })) !== undefined,
            UnitData: databag(view, relation, name),
          },
        ]),
      ),
    };
  });
}

function seenUnits(view: View, relation: RelationDoc, unit: UnitDoc, application: string): string[] {
  const container = view.get('scope', scopeId({ relation: relation.id, unit: unit.name }))?.container ?? '';
  return [...view.find('scope', 'relation', String(relation.id))]
    .filter((scope) => scope.unit !== unit.name && scope.application === application)
    .filter((scope) => !scope.departing && (container === '' || scope.container === container))
    .map((scope) => scope.unit);
}

function databag(view: View, relation: RelationDoc, owner: string): Readonly<Record<string, string>> {
  return view.get('settings', settingsId({ relation: relation.id, owner }))?.values ?? {};
}
