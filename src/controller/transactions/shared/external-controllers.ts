/** Other controllers, as a model knows them that has consumed their offers (offers.md#other-controllers). */
import type { ExternalControllerDoc } from '../../../core/external-controller/document.ts';
import type { Tx } from '../tx.ts';

/** Keeps how the controller is reached, as it was told last. */
export function putController(tx: Tx, controller: ExternalControllerDoc): void {
  const known = tx.get('external-controller', controller.uuid);
  if (JSON.stringify(known) !== JSON.stringify(controller))
    tx.put('external-controller', controller.uuid, controller);
}

/** Forgets a controller when nothing of it is consumed any more, and it has no end of a relation to hear. */
export function forgetControllerIfUnused(tx: Tx, controller: string | undefined): void {
  if (controller === undefined) return;
  const isUsed = (['remote-application', 'relation-end'] as const).some(
    (kind) => tx.count(kind, 'controller', controller) > 0,
  );
  if (!isUsed) tx.remove('external-controller', controller);
}
