import { setModelConfig } from '../controller/transactions/set/set-model-config.ts';
import type { Settled } from '../core/requirements/settle.ts';
import type { Tx } from '../controller/transactions/tx.ts';

/** Runs model-config in the model's space, for a cloud without settings of its own. */
export function setConfig(tx: Tx, set: Readonly<Record<string, unknown>>): Settled {
  return setModelConfig(tx.in(''), {
    uuid: tx.space,
    set,
    reset: [],
    inherited: {},
    builtIn: {},
    provider: {},
    upgrade: (config) => config,
  });
}
