import { generateProvisioningScript } from './generate-machines.ts';
import { generateOffersScript } from './offers.ts';
import { generateScript } from './generate-script.ts';
import type { Script } from './script.ts';

/** Subject of a world: machines alone, in a short script; two models with offers; or everything but offers. */
export type About = 'all' | 'machines' | 'offers';

/** Returns the script of a seed. */
export function scriptFor({
  seed,
  hours,
  about = 'all',
}: {
  readonly seed: number;
  readonly hours: number;
  readonly about?: About;
}): Script {
  switch (about) {
    case 'all':
      return generateScript({ seed, hours });
    case 'machines':
      return generateProvisioningScript({ seed });
    case 'offers':
      return generateOffersScript({ seed, hours });
  }
}
