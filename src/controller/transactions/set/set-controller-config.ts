import { readControllerSettings } from '../../../core/controller/config.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Tx } from '../tx.ts';

/** Changes settings of the controller, in its own space. Errors: those of readControllerSettings. */
export function setControllerConfig(tx: Tx, values: Readonly<Record<string, unknown>>): void {
  const controller = tx.get('controller', 'self');
  if (!controller) throw new JujuError('not found', 'controller not found');
  const config = { ...controller.config, ...readControllerSettings(values) };
  tx.put('controller', 'self', { ...controller, config });
}
