/** Steps that change the network of an application that the model has. */
import { boundSpace } from '../application/bindings.ts';
import { anywhere } from '../application/exposed-rules.ts';
import { defined } from '../defined.ts';
import type { BundleApplication } from './bundle.ts';
import { ownValue } from './own.ts';
import type { BundleStep } from './step.ts';

/** Binds the bundle's endpoints, when the model has one of them in another space. An empty space is the default one. */
export function binding(
  application: string,
  wanted: BundleApplication['bindings'],
  has: BundleApplication['bindings'],
): BundleStep[] {
  const fallback = wanted[''] || boundSpace(has, '');
  const bindings = Object.fromEntries(
    Object.entries(wanted).map(([endpoint, space]) => [endpoint, space || fallback]),
  );
  const isBound = Object.entries(bindings).every(([endpoint, space]) => boundSpace(has, endpoint) === space);
  return isBound ? [] : [{ kind: 'bind', application, bindings }];
}

/** Exposes the endpoints that the model does not expose, or not to the same sources. */
export function exposing(
  application: string,
  { exposed, exposedEndpoints }: BundleApplication,
  has?: BundleApplication,
): BundleStep[] {
  if (!exposed) return [];
  const before: Exposures = has?.exposed ? (has.exposedEndpoints ?? exposedToAll) : {};
  const changed = Object.entries(exposedEndpoints ?? exposedToAll).filter(([endpoint, sources]) => {
    const old = ownValue(before, endpoint);
    return !old || sourcesText(sources) !== sourcesText(old);
  });
  if (changed.length === 0) return [];
  return [
    {
      kind: 'expose',
      application,
      ...defined({ endpoints: exposedEndpoints && Object.fromEntries(changed) }),
    },
  ];
}

export type Exposures = NonNullable<BundleApplication['exposedEndpoints']>;
export const exposedToAll: Exposures = { '': { cidrs: [], spaces: [] } };

/** A text that is equal for sources with the same effect: without any, everyone is let in. */
function sourcesText({ cidrs, spaces }: Exposures[string]): string {
  const all = cidrs.length + spaces.length > 0 ? cidrs : anywhere;
  return JSON.stringify([[...all].sort(), [...spaces].sort()]);
}
