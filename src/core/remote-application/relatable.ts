/** Views of an application of another model, for relations with it. */
import type { RelationSide } from '../relation/check-add.ts';
import type { ApplicationView } from '../relation/infer-endpoints.ts';
import type { RemoteEndpoint } from './document.ts';

/** The view that endpoints are inferred by: all are of global scope. */
export function remoteView(name: string, endpoints: readonly RemoteEndpoint[]): ApplicationView {
  return {
    name,
    subordinate: false,
    attachesToAny: false,
    endpoints: Object.fromEntries(
      endpoints.map((one) => [one.name, { ...one, scope: 'global' as const, optional: false }]),
    ),
  };
}

/** The remote application's side of a relation that is to be made. */
export function remoteEnd(end: Pick<RelationSide, 'endpoint' | 'life' | 'relations'>): RelationSide {
  return { ...end, subordinate: false, base: noBase, free: false, charmBases: [], remote: true };
}

/** The base of a remote application: it does not matter to this model. */
const noBase = { name: '', channel: '' };
