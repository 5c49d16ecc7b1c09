import type { CloudDoc } from '../../../core/cloud/document.ts';
import { notFound } from '../../../core/errors.ts';
import type { Tx } from '../tx.ts';
import { hasModels } from './put-cloud.ts';

/**
 * Sets what new models of a cloud, or of one of its regions, inherit, in the controller's space. `check` gets the cloud
 * after the change, and before it when it has models. Errors: `not found`; those of `check`.
 */
export function setModelDefaults(
  tx: Tx,
  args: {
    readonly cloud: string;
    /** Region of the defaults; '' = every region. */
    readonly region: string;
    readonly set: Readonly<Record<string, unknown>>;
    readonly unset: readonly string[];
    readonly check: (after: CloudDoc, before?: CloudDoc) => void;
  },
): void {
  const cloud = tx.get('cloud', args.cloud);
  if (!cloud) throw notFound('cloud', args.cloud);
  const changed = (config: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries({ ...config, ...args.set }).filter(([key]) => !args.unset.includes(key)),
    );
  const changedCloud = args.region
    ? {
        ...cloud,
        regionConfig: {
          ...cloud.regionConfig,
          [args.region]: changed(cloud.regionConfig?.[args.region] ?? {}),
        },
      }
    : { ...cloud, config: changed(cloud.config) };
  args.check(changedCloud, hasModels(tx, cloud.name) ? cloud : undefined);
  tx.put('cloud', cloud.name, changedCloud);
}
