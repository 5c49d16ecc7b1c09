/** Root file systems of the controller's host: one registry, whichever of its local clouds is asked. */
import { formatBase, type Base } from '../core/base.ts';
import type { Entities } from '../core/kinds.ts';
import { JujuError } from '../core/errors.ts';
import type { ImageRegistry, LocalImage } from '../providers/contract/provider.ts';
import type { Store } from '../store/store.ts';
import type { Services } from './services.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Services;
}

/** Finds the registry of images. Errors: JujuError `not supported` where no model's cloud has images. */
export function findImageRegistry({ store, services }: Needs): ImageRegistry {
  const reader = store.read();
  const clouds = new Set<string>();
  for (const { uuid, cloud } of reader.in('').list('model')) {
    if (clouds.has(cloud)) continue;
    clouds.add(cloud);
    const { images } = services.environ(uuid, reader);
    if (images) return images;
  }
  throw new JujuError(
    'not supported',
    'no model of this controller is on a cloud of type local: only machines of its own host run on local images',
  );
}

/** Adds an image from an archive, or builds it when there is none. Errors: as ImageRegistry.add. */
export async function addLocalImage(
  needs: Needs,
  { signal, ...image }: { base: Base; archive?: string; signal: AbortSignal },
): Promise<LocalImage> {
  const log = needs.services.log.module('grigri.local-images');
  const progress = (message: string): void => log.info(message, { base: formatBase(image.base) });
  return await findImageRegistry(needs).add({ ...image, progress }, signal);
}

interface LocalImageWire {
  readonly base: Base;
  readonly arch: string;
  readonly size: number;
  readonly 'added-at': string;
}

export function describeLocalImage({ base, arch, size, addedAt }: LocalImage): LocalImageWire {
  return { base: { name: base.name, channel: base.channel }, arch, size, 'added-at': addedAt };
}
