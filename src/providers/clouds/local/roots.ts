/** What a machine of a base is laid over (docs/local-machines.md): the image of that base, else what there is. */
import { join } from 'node:path';
import { formatBase, formatBases, sameBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import { ProviderError } from '../../contract/provider.ts';
import type { BaseMismatch } from './config.ts';
import { findImage, imageBases } from './images.ts';
import type { InstanceRecord } from './record.ts';
import { baseOfRoot } from './root-files.ts';

export interface Roots {
  /** The root file system where there is no image. */
  readonly own: string;
  /** For people: whose that is, e.g. `this host's`. */
  readonly whose: string;
  /** The images' folder. */
  readonly images: string;
  /** Where machines are plain processes no image is of use. */
  readonly sandboxes: boolean;
  readonly mismatch: BaseMismatch;
}

/** For the machine's record. Errors: ProviderError `bad request` where another base than asked for is refused. */
export async function chooseRoot(
  roots: Roots,
  base: Base,
): Promise<Pick<InstanceRecord, 'image' | 'runsOn'>> {
  const image = roots.sandboxes ? await findImage(roots.images, base) : undefined;
  if (image) return { image: image.id };
  const own = await baseOfRoot(roots.own);
  if (own && sameBase(own, base)) return {};
  if (roots.mismatch === 'refuse') throw new ProviderError('bad request', await mismatchText(roots, base));
  return { runsOn: own ? formatBase(own) : '' };
}

/** Before anything is made. Errors: JujuError `not valid`. */
export async function precheckBase(roots: Roots, base: Base): Promise<void> {
  if (roots.mismatch === 'warn') return;
  const usable = await usableBases(roots);
  if (!usable.some((one) => sameBase(one, base)))
    throw new JujuError('not valid', await mismatchText(roots, base));
}

/** The root file system that a machine is laid over. */
export function lowerOf(roots: Roots, { image }: InstanceRecord): string {
  return image === undefined ? roots.own : join(roots.images, image);
}

async function mismatchText(roots: Roots, base: Base): Promise<string> {
  const usable = await usableBases(roots);
  return (
    `this cloud runs no machines of ${formatBase(base)}, only of: ${formatBases(usable)}` +
    (roots.sandboxes
      ? `; register a root file system with grigri local-image add ${formatBase(base)}, or set base-mismatch=warn`
      : '; set base-mismatch=warn to run them on other files')
  );
}

/** The own root's first. */
export async function usableBases(roots: Roots): Promise<Base[]> {
  const own = await baseOfRoot(roots.own);
  const images = roots.sandboxes ? await imageBases(roots.images) : [];
  return [...(own ? [own] : []), ...images.filter((image) => own === undefined || !sameBase(image, own))];
}
