import { generateProvisioningScript } from './generate-machines.ts';
import { generateOffersScript } from './offers.ts';
import { generateScript } from './generate-script.ts';
import type { Script } from './script.ts';

/** What a world is about: short ones about machines, two models with offers, or everything but offers. */
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
