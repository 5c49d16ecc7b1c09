/**
 * Choice of the root file system below a machine (docs/local-machines.md): the image of its base, else the site's own.
 */
import { join } from 'node:path';
import { formatBase, formatBases, sameBase, type Base } from '../../../core/base.ts';
import { JujuError } from '../../../core/errors.ts';
import { ProviderError } from '../../contract/provider.ts';
import type { BaseMismatch } from './config.ts';
import { findImage, imageBases } from './images.ts';
import type { InstanceRecord } from './record.ts';
import { baseOfRoot } from './root-files.ts';

export interface Roots {
  /** Root file system used where there is no image. */
  readonly own: string;
  /** Description of its owner for users, e.g. `this host's`. */
  readonly whose: string;
  /** Folder of the images. */
  readonly images: string;
  /** False where machines are plain processes, which cannot use images. */
  readonly sandboxes: boolean;
  readonly mismatch: BaseMismatch;
}

/**
 * Chooses the root that is recorded with a machine. Errors: ProviderError `bad request` when the base differs and that
 * is configured to be refused.
 */
export async function chooseRoot(
  roots: Roots,
  base: Base,
): Promise<Pick<InstanceRecord, 'image' | 'runsOn'>> {
  const image = roots.sandboxes ? await findImage(roots.images, base) : undefined;
  if (image) return { image: image.id };
  const hostBase = await baseOfRoot(roots.own);
  if (hostBase && sameBase(hostBase, base)) return {};
  if (roots.mismatch === 'refuse') throw new ProviderError('bad request', await mismatchText(roots, base));
  return { runsOn: hostBase ? formatBase(hostBase) : '' };
}

/** Checks a base before anything is created. Errors: JujuError `not valid`. */
export async function precheckBase(roots: Roots, base: Base): Promise<void> {
  if (roots.mismatch === 'warn') return;
  const usable = await usableBases(roots);
  if (!usable.some((one) => sameBase(one, base)))
    throw new JujuError('not valid', await mismatchText(roots, base));
}

/** Returns the root file system below a machine. */
export function lowerOf(roots: Roots, { image }: InstanceRecord): string {
  return image === undefined ? roots.own : join(roots.images, image);
}

async function mismatchText(roots: Roots, base: Base): Promise<string> {
  const usable = await usableBases(roots);
  return (
    `this cloud runs no machines of ${formatBase(base)}, only of: ${formatBases(usable)}` +
    (roots.sandboxes
      ? `; register a root file system with local-image add ${formatBase(base)}, or set base-mismatch=warn`
      : '; set base-mismatch=warn to run them on other files')
  );
}

/** Lists the bases that machines can have, that of the site's own root first. */
export async function usableBases(roots: Roots): Promise<Base[]> {
  const hostBase = await baseOfRoot(roots.own);
  const images = roots.sandboxes ? await imageBases(roots.images) : [];
  return [
    ...(hostBase ? [hostBase] : []),
    ...images.filter((image) => hostBase === undefined || !sameBase(image, hostBase)),
  ];
}
