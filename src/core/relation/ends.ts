import type { RelationDoc, RelationEndpoint } from './document.ts';

/** The end in this model, of a relation with another model. */
export function localEnd({ endpoints, remote }: RelationDoc): RelationEndpoint {
  return endpoints.find(({ application }) => application !== remote?.application) ?? endpoints[0]!;
}

/** The end in the other model, of a relation with another model. */
export function remoteEnd({ endpoints, remote }: RelationDoc): RelationEndpoint | undefined {
  return endpoints.find(({ application }) => application === remote?.application);
}

/** The networks that `integrate --via` named, for a relation with another model; undefined for other relations. */
export function viaOf({ remote }: RelationDoc): readonly string[] | undefined {
  return remote && (remote.consumed?.via ?? []);
}
