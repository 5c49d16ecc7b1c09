import type { ApplicationDoc } from '../../../core/application/document.ts';
import { findOption, fittingValues, parseConfigValues } from '../../../core/charm/config.ts';
import { defined } from '../../../core/defined.ts';
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
  tx.put('application', application.name, {
    ...application,
    config,
    ...defined({ older: application.older && olderConfigs(tx, application.older, args) }),
    trust: args.trust ?? application.trust,
  });
}

/**
 * Option values of charms that units still run. A unit whose hook fails because of an option must get a better value,
 * so these change, too, where the charm has the option and takes the value (refresh.md#options-of-each-charm).
 */
function olderConfigs(
  tx: Tx,
  older: NonNullable<ApplicationDoc['older']>,
  { set, reset }: { readonly set: Readonly<Record<string, unknown>>; readonly reset: readonly string[] },
): NonNullable<ApplicationDoc['older']> {
  return Object.fromEntries(
    Object.entries(older).map(([url, values]) => {
      const options = tx.get('charm', url)?.config ?? {};
      const config = { ...values, ...fittingValues(options, set) };
      for (const name of reset) delete config[name];
      return [url, config];
    }),
  );
}
