import type { localImages as spec } from '../../../wire/facades/local-images.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { describeLocalImage, findImageRegistry } from '../../local-images.ts';

export async function list(call: Call): Promise<ResultOf<typeof spec, 'List'>> {
  return { images: (await findImageRegistry(call).list()).map(describeLocalImage) };
}
