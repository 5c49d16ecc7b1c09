import type { CloudDoc } from '../../../core/cloud/document.ts';
import { JujuError } from '../../../core/errors.ts';

/** Refuses unknown regions. Errors: `not found` when the cloud names its regions and has none of this name. */
export function checkRegion(cloud: CloudDoc, region: string): void {
  const known = cloud.regions.map(({ name }) => name);
  if (known.length > 0 && !known.includes(region))
    throw new JujuError(
      'not found',
      `region "${region}" in cloud "${cloud.name}" not found (expected one of ${known.join(', ')})`,
    );
}
