import { findOption, parseConfigValues } from '../../../core/charm/config.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * config: sets options and trust, and resets others to the charm's defaults. `set` holds text or typed values.
 * Errors: `not found`, `not valid` (unknown option, wrong type).
 */
export function setApplicationConfig(
  tx: Tx,
  args: {
    application: string;
    set: Readonly<Record<string, unknown>>;
    reset: readonly string[];
    trust?: boolean;
  },
): void {
  const application = mustGet(tx, 'application', args.application);
  const charm = mustGet(tx, 'charm', application.charmUrl);
  const config = { ...application.config, ...parseConfigValues(charm.config, args.set) };
  for (const name of args.reset) {
    findOption(charm.config, name);
    delete config[name];
  }
  tx.put('application', application.name, { ...application, config, trust: args.trust ?? application.trust });
}
