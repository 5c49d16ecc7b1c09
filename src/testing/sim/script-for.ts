import { generateProvisioningScript } from './generate-machines.ts';
import { generateScript } from './generate-script.ts';
import type { Script } from './script.ts';

/** Returns the script of a seed. */
export function scriptFor({
  seed,
  hours,
  provisioning = false,
}: {
  readonly seed: number;
  readonly hours: number;
  readonly provisioning?: boolean;
}): Script {
  return provisioning ? generateProvisioningScript({ seed }) : generateScript({ seed, hours });
}
