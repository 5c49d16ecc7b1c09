import { bindingsOf } from '../../../core/application/bindings.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import { charmOfUnits, type UnitDoc } from '../../../core/unit/document.ts';
import { charmMetas } from '../shared/spaces.ts';
import type { Tx } from '../tx.ts';
import { removeCharmIfUnused } from './remove-charm.ts';

/** Forgets the charm of a unit that has left it, or is gone, when no other unit of the application runs it. */
export function forgetOlderCharm(
  tx: Tx,
  { application: name, charmUrl }: Pick<UnitDoc, 'application' | 'charmUrl'>,
): void {
  const application = tx.get('application', name);
  if (!application?.older || !Object.hasOwn(application.older, charmUrl)) return;
  if (tx.count('unit', 'charm', charmOfUnits(name, charmUrl)) > 0) return;
  tx.put('application', name, withOlder(tx, application));
  removeCharmIfUnused(tx, charmUrl);
}

/** Application reduced to the older charms that a unit of it runs, and to the bindings of their endpoints. */
export function withOlder(tx: Tx, application: ApplicationDoc): ApplicationDoc {
  const { older: _, ...rest } = application;
  return { ...rest, ...keptOlder(tx, application) };
}

/** Older charms of an application that a unit of it still runs, with the bindings of the endpoints that are left. */
export function keptOlder(
  tx: Tx,
  {
    name,
    charmUrl,
    older = {},
    endpointBindings: bindings,
  }: Pick<ApplicationDoc, 'name' | 'charmUrl' | 'older' | 'endpointBindings'>,
): Pick<ApplicationDoc, 'older' | 'endpointBindings'> {
  const used = Object.entries(older).filter(
    ([url]) => url !== charmUrl && tx.count('unit', 'charm', charmOfUnits(name, url)) > 0,
  );
  const endpointBindings = bindingsOf(bindings, charmMetas(tx, [charmUrl, ...used.map(([url]) => url)]));
  return { endpointBindings, ...(used.length > 0 && { older: Object.fromEntries(used) }) };
}
