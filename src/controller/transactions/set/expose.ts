import { anywhere } from '../../../core/application/exposed-rules.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import { endpointsOf } from '../../../core/charm/metadata.ts';
import { checkCidr } from '../../../core/cidr.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkSpace } from '../shared/spaces.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * expose: opens the units' open ports to sources. Maps an endpoint ('' = all) to its sources; an empty map exposes all
 * endpoints to everybody. Endpoints exposed before and not named stay unchanged.
 * Errors: `not found` (application, endpoint, space), `not valid` (CIDR).
 */
export function expose(
  tx: Tx,
  args: {
    application: string;
    endpoints: Readonly<Record<string, { cidrs: readonly string[]; spaces: readonly string[] }>>;
  },
): void {
  const application = mustGet(tx, 'application', args.application);
  const known = endpointsOf(mustGet(tx, 'charm', application.charmUrl).meta);
  const named = Object.keys(args.endpoints).length > 0 ? args.endpoints : { '': { cidrs: [], spaces: [] } };
  const exposed: Record<string, NonNullable<ApplicationDoc['exposed']>[string]> = { ...application.exposed };
  for (const [endpoint, sources] of Object.entries(named)) {
    if (endpoint !== '' && !Object.hasOwn(known, endpoint))
      throw new JujuError('not found', `endpoint "${endpoint}" not found`);
    for (const cidr of sources.cidrs) checkCidr(cidr);
    for (const space of sources.spaces) checkSpace(tx, space);
    const isPlain = sources.cidrs.length === 0 && sources.spaces.length === 0;
    exposed[endpoint] = { cidrs: isPlain ? anywhere : sources.cidrs, spaces: sources.spaces };
  }
  tx.put('application', application.name, { ...application, exposed });
}
