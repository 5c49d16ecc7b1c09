/** Other controllers whose offers models have consumed (offers.md#other-controllers). */
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../core/defined.ts';
import type { ExternalControllerDoc } from '../../../core/external-controller/document.ts';
import type { Tx } from '../tx.ts';

/**
 * Keeps the controller's addresses and certificate as users gave them last; its own report counts until users give
 * others.
 */
export function putController(tx: Tx, controller: ExternalControllerDoc): void {
  const { told: _told, ...given } = tx.get('external-controller', controller.uuid) ?? {};
  if (!isDeepStrictEqual(given, controller)) tx.put('external-controller', controller.uuid, controller);
}

/** Keeps the addresses and certificate that the controller reports itself; ignored when it was forgotten meanwhile. */
export function putTold(
  tx: Tx,
  uuid: string,
  { addresses, caCert }: Pick<ExternalControllerDoc, 'addresses' | 'caCert'>,
): void {
  const known = tx.get('external-controller', uuid);
  if (!known) return;
  const isAsGiven = isDeepStrictEqual([addresses, caCert], [known.addresses, known.caCert]);
  const { told: _told, ...given } = known;
  const told = isAsGiven ? undefined : { addresses, caCert };
  tx.put('external-controller', uuid, { ...given, ...defined({ told }) });
}

/** Forgets a controller when nothing of it is consumed any more, and it has no end of a relation to be told. */
export function forgetControllerIfUnused(tx: Tx, controller: string | undefined): void {
  if (controller === undefined) return;
  const isUsed = (['remote-application', 'relation-end'] as const).some(
    (kind) => tx.count(kind, 'controller', controller) > 0,
  );
  if (!isUsed) tx.remove('external-controller', controller);
}
