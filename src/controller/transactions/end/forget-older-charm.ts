import type { ApplicationDoc } from '../../../core/application/document.ts';
import { charmOfUnits, type UnitDoc } from '../../../core/unit/document.ts';
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

/** The application with only those older charms that a unit of it runs. */
export function withOlder(tx: Tx, { older = {}, ...application }: ApplicationDoc): ApplicationDoc {
  const { name, charmUrl } = application;
  const used = Object.entries(older).filter(
    ([url]) => url !== charmUrl && tx.count('unit', 'charm', charmOfUnits(name, url)) > 0,
  );
  return used.length > 0 ? { ...application, older: Object.fromEntries(used) } : application;
}
