import { parseBase } from '../../../core/base.ts';
import type { localImages as spec } from '../../../wire/facades/local-images.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { addLocalImage, describeLocalImage } from '../../local-images.ts';

/** Adds an image. The work goes on when the caller disconnects: it is completed or undone as a whole. */
export async function add(
  call: Call,
  { base }: ParamsOf<typeof spec, 'Add'>,
): Promise<ResultOf<typeof spec, 'Add'>> {
  const params = { base: parseBase(base), signal: new AbortController().signal };
  return describeLocalImage(await addLocalImage(call, params));
}
