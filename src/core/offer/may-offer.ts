import type { Endpoint } from '../charm/metadata.ts';

/**
 * The reason why an endpoint cannot be offered; undefined when it can be; `of`: the application or charm that is asked
 * for it.
 */
export function refusalToOffer(of: string, name: string, endpoint: Endpoint | undefined): string | undefined {
  if (!endpoint) return `application "${of}" has no "${name}" relation`;
  if (endpoint.role === 'peer') return `endpoint "${name}" is a peer relation`;
  if (endpoint.scope !== 'global') return `endpoint "${name}" is not of global scope`;
  return undefined;
}
