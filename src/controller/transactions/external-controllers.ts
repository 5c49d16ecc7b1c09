/** Other controllers, as a model knows them that has consumed their offers (offers.md#other-controllers). */
import type { ExternalControllerDoc } from '../../core/external-controller/document.ts';
import type { RemoteApplicationDoc } from '../../core/remote-application/document.ts';
import type { Tx } from './tx.ts';

/** Keeps how the controller is reached, as it was told last. */
export function putController(tx: Tx, controller: ExternalControllerDoc): void {
  const known = tx.get('external-controller', controller.uuid);
  if (JSON.stringify(known) !== JSON.stringify(controller))
    tx.put('external-controller', controller.uuid, controller);
}

/** Forgets the controller of what was consumed when nothing that is consumed is there any more. */
export function forgetControllerIfUnused(tx: Tx, remote: RemoteApplicationDoc | undefined): void {
  const { controller } = remote?.saas?.elsewhere ?? {};
  if (controller !== undefined && tx.count('remote-application', 'controller', controller) === 0)
    tx.remove('external-controller', controller);
}
