/** Refresh: another charm for an application (refresh.md). */
import { checkRefresh, type RefreshRequest } from '../../core/application/check-refresh.ts';
import type { CharmMeta } from '../../core/charm/metadata.ts';
import { defined } from '../../core/defined.ts';
import { JujuError } from '../../core/errors.ts';
import type { Settled } from '../../core/requirements/settle.ts';
import { makePeers } from './begin/make-peers.ts';
import { setRelationDying } from './end/destroy-relation.ts';
import { withOlder } from './end/forget-older-charm.ts';
import { removeCharmIfUnused } from './end/remove-charm.ts';
import { dropResources, takeResources } from './resources.ts';
import { knownSpaces } from './spaces.ts';
import { settleRequirements } from './requirements.ts';
import { mustGet, type Tx } from './tx.ts';

export interface RefreshArgs extends RefreshRequest {
  readonly application: string;
  readonly charmUrl: string;
  readonly charmOrigin: Readonly<Record<string, unknown>>;
  /** Units whose hook has failed take the charm, too. */
  readonly forceUnits: boolean;
  /** Announced resources by name (announceResources). */
  readonly resources?: Readonly<Record<string, string>>;
}

/**
 * Gives the application another charm: new units run it, the others upgrade to it one by one and keep the old charm's
 * options until then (refresh.md#options-of-each-charm). A dying application may still get one, which repairs the hooks
 * of its end. Errors: `not found`; '' for a dead application; those of checkRefresh.
 */
export function refreshApplication(tx: Tx, args: RefreshArgs): { readonly settled: Settled } {
  const application = mustGet(tx, 'application', args.application);
  const { name } = application;
  if (application.life === 'dead') throw new JujuError('dead', `application "${name}" is dead`);
  const to = mustGet(tx, 'charm', args.charmUrl);
  const from = mustGet(tx, 'charm', application.charmUrl);
  const relations = [...tx.find('relation', 'application', name)];
  const { config, endpointBindings } = checkRefresh(args, {
    application,
    from,
    to,
    relations,
    spaces: knownSpaces(tx),
  });
  const isNews = takeResources(tx, { application: name, charm: to }, args.resources ?? {});
  // Another charm makes upgrade-charm due by itself.
  const modified = isNews && from.url === to.url ? (application.charmModifiedVersion ?? 0) + 1 : undefined;
  const { forceCharm: _, ...rest } = application;
  tx.put(
    'application',
    name,
    withOlder(tx, {
      ...rest,
      charmUrl: to.url,
      charmOrigin: args.charmOrigin,
      config,
      endpointBindings,
      trust: args.trust ?? application.trust,
      older: { ...application.older, [from.url]: application.config },
      ...defined({
        forceCharm: args.forceUnits || undefined,
        charmModifiedVersion: modified ?? application.charmModifiedVersion,
      }),
    }),
  );
  if (from.url !== to.url) {
    removeCharmIfUnused(tx, from.url);
    dropResources(tx, name, to);
    if (application.life === 'alive') changePeers(tx, name, to.meta);
  }
  return { settled: settleRequirements(tx, [name]) };
}

/**
 * Ends peer relations that the charm no longer has, and makes those that are new. One whose interface has changed goes
 * on as it is: its units are the same.
 */
function changePeers(tx: Tx, application: string, meta: CharmMeta): void {
  for (const relation of tx.find('relation', 'application', application)) {
    const [end] = relation.endpoints;
    if (end?.role !== 'peer' || relation.life !== 'alive') continue;
    const endpoint = meta.endpoints[end.name];
    if (endpoint?.role === 'peer')
      tx.put('relation', String(relation.id), { ...relation, endpoints: [{ ...endpoint, application }] });
    else setRelationDying(tx, relation);
  }
  makePeers(tx, application, meta);
}
