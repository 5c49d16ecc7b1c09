import { generateProvisioningScript } from './generate-machines.ts';
import { generateOffersScript } from './offers.ts';
import { generateFilesScript } from './generate-files.ts';
import { generateRestoresScript } from './generate-restores.ts';
import { generateMigrationScript } from './migrations.ts';
import { generateScript } from './generate-script.ts';
import type { Script } from './script.ts';

/**
 * Subject of a world: machines alone, in a short script; two models with offers; restores of backups; model files;
 * models that move between controllers; or everything but these.
 */
export type About = 'all' | 'machines' | 'offers' | 'restores' | 'files' | 'migration';

/** Number of controllers of a world. */
export function controllersOf({ about }: { readonly about?: About }): 1 | 3 {
  return about === 'migration' ? 3 : 1;
}

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
    case 'restores':
      return generateRestoresScript({ seed, hours });
    case 'files':
      return generateFilesScript({ seed, hours });
    case 'migration':
      return generateMigrationScript({ seed, hours });
  }
}
