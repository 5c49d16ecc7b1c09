import type { CloudDoc } from '../../../core/cloud/document.ts';
import { notFound } from '../../../core/errors.ts';
import type { Tx } from '../tx.ts';

/**
 * In the controller's space: what new models of a cloud inherit, or those of one region of it. `check` is given the
 * cloud as it would be, and as it was. Errors: `not found`; those of `check`.
 */
export function setModelDefaults(
  tx: Tx,
  args: {
    readonly cloud: string;
    /** '' = every region. */
    readonly region: string;
    readonly set: Readonly<Record<string, unknown>>;
    readonly unset: readonly string[];
    readonly check: (after: CloudDoc, before: CloudDoc) => void;
  },
): void {
  const cloud = tx.get('cloud', args.cloud);
  if (!cloud) throw notFound('cloud', args.cloud);
  const changed = (config: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries({ ...config, ...args.set }).filter(([key]) => !args.unset.includes(key)),
    );
  const after = args.region
    ? {
        ...cloud,
        regionConfig: {
          ...cloud.regionConfig,
          [args.region]: changed(cloud.regionConfig?.[args.region] ?? {}),
        },
      }
    : { ...cloud, config: changed(cloud.config) };
  args.check(after, cloud);
  tx.put('cloud', cloud.name, after);
}
