/** Refresh: another charm for an application (refresh.md). */
import { checkRefresh, type RefreshRequest } from '../../../core/application/check-refresh.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { nextModifiedVersion, refuseDuringRollout, type Rollout } from '../../../core/rollout/rollout.ts';
import { checkStorage } from '../../../core/storage/check-storage.ts';
import type { StorageDirective } from '../../../core/storage/directive.ts';
import { machineProviders } from '../../../core/storage/providers.ts';
import { storageSpecs } from '../../../core/storage/spec.ts';
import { countOf, poolsOf, type StorageRules } from '../begin/add-storage.ts';
import { refuseUnitsInContainers } from '../begin/storage-in-containers.ts';
import { changePeers } from './change-peers.ts';
import { keptOlder } from '../end/forget-older-charm.ts';
import { removeCharmIfUnused } from '../end/remove-charm.ts';
import { dropResources, takeResources } from '../shared/resources.ts';
import { charmMetas, knownSpaces } from '../shared/spaces.ts';
import { changeBase } from '../set/change-base.ts';
import { settleRequirements } from '../shared/requirements.ts';
import { mustGet, type Tx, type View } from '../tx.ts';

export interface RefreshArgs extends RefreshRequest {
  readonly application: string;
  readonly charmUrl: string;
  readonly charmOrigin: Readonly<Record<string, unknown>>;
  /** Units whose hook has failed take the charm, too. */
  readonly forceUnits: boolean;
  /** Announced resources by name (announceResources). */
  readonly resources?: Readonly<Record<string, string>>;
  /** Directives for units to come, and for the storage that all get with the charm. */
  readonly storage?: Readonly<Record<string, StorageDirective>>;
  /** Providers of storage and preferred pools, as in deployApplication. */
  readonly storageRules?: StorageRules;
}

/** Makes the roll-out of a charm, or of contents of resources that the charm before has, too, by their names. */
type BeginRollout = (news: readonly string[]) => Rollout;

/**
 * Gives the application another charm: new units run it, the others upgrade to it one by one and keep the old charm's
 * options until then (refresh.md#options-of-each-charm), or, with a roll-out, as it releases them. A dying application
 * may still get one, which repairs the hooks of its end. An aborted roll-out ends with it. Errors: `not found`; '' for
 * a dead application, and while a roll-out goes on; those of checkRefresh, checkStorage and changeBase.
 */
export function refreshApplication(
  tx: Tx,
  args: RefreshArgs,
  begin?: BeginRollout,
): { readonly settled: Settled } {
  const application = mustGet(tx, 'application', args.application);
  const { name } = application;
  if (application.life === 'dead') throw new JujuError('dead', `application "${name}" is dead`);
  refuseDuringRollout(application);
  const to = mustGet(tx, 'charm', args.charmUrl);
  const from = mustGet(tx, 'charm', application.charmUrl);
  const relations = [...tx.find('relation', 'application', name)];
  const { config, endpointBindings } = checkRefresh(args, {
    application,
    from,
    to,
    older: charmMetas(tx, Object.keys(application.older ?? {})),
    relations,
    spaces: knownSpaces(tx),
    isStorageUsed: (storage) => usesStorage(tx, name, storage),
  });
  const { providers = machineProviders, preferred } = args.storageRules ?? {};
  const storage = checkStorage(
    storageSpecs(to.meta.storage),
    args.storage ?? {},
    poolsOf(tx, providers, preferred),
    application.storage,
  );
  refuseUnitsInContainers(tx, { ...application, storage });
  if (args.base) changeBase(tx, application, args.base);
  const news = takeResources(tx, { application: name, charm: to }, args.resources ?? {});
  // Another charm makes upgrade-charm due by itself, but not in units that take it with a failed hook.
  const modified = news.length > 0 ? nextModifiedVersion(application) : undefined;
  const rollout = begin?.(news);
  const { forceCharm: _, storage: __, rollout: aborted, older, ...rest } = application;
  tx.put('application', name, {
    ...rest,
    charmUrl: to.url,
    charmOrigin: args.charmOrigin,
    config,
    base: args.base ?? application.base,
    trust: args.trust ?? application.trust,
    ...keptOlder(tx, {
      name,
      charmUrl: to.url,
      older: { ...older, [from.url]: application.config },
      endpointBindings,
    }),
    ...defined({
      storage: Object.keys(storage).length > 0 ? storage : undefined,
      forceCharm: args.forceUnits || undefined,
      charmModifiedVersion: modified ?? application.charmModifiedVersion,
      // The roll-out is recorded before charms are removed: a rollback needs one of them.
      rollout,
    }),
  });
  if (from.url !== to.url) {
    removeCharmIfUnused(tx, from.url);
    dropResources(tx, name, to);
  }
  // The end of an aborted roll-out ends what it has kept for held units.
  if (application.life === 'alive' && (from.url !== to.url || aborted))
    changePeers(tx, name, to.meta, { ends: !rollout });
  if (aborted) removeCharmIfUnused(tx, aborted.before.charmUrl);
  return { settled: settleRequirements(tx, [name]) };
}

/** Whether any unit of the application has storage of that name. */
function usesStorage(view: View, application: string, storage: string): boolean {
  for (const { name } of view.find('unit', 'application', application))
    if (countOf(view, name, storage) > 0) return true;
  return false;
}
