import type { RelationDoc, RelationEndpoint } from './document.ts';

/** The end of a relation with another model that is in this one. */
export function localEnd({ endpoints, remote }: RelationDoc): RelationEndpoint {
  return endpoints.find(({ application }) => application !== remote?.application) ?? endpoints[0]!;
}

/** The end of a relation with another model that is there. */
export function remoteEnd({ endpoints, remote }: RelationDoc): RelationEndpoint | undefined {
  return endpoints.find(({ application }) => application === remote?.application);
}

/** What `integrate --via` named, for a relation with another model; undefined for others. */
export function viaOf({ remote }: RelationDoc): readonly string[] | undefined {
  return remote && (remote.consumed?.via ?? []);
}
