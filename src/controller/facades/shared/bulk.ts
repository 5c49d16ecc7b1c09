import { JujuError, withoutStacks } from '../../../core/errors.ts';
import { wireError, type WireError } from '../../../wire/errors.ts';
import type { Call } from '../../facade.ts';
import { AnswerSize } from './answer-size.ts';
import { pauseOf } from './pause.ts';

export type { WireError };

/**
 * Runs `run` for each item, one after the other, and returns the results in their order; an error is reported at its
 * item's place as `error`, and the others go on. Calls of other clients are served in between. Items for which an
 * answer has no room (`limits.answer`) are not run: that is their error.
 */
export async function bulk<T, R>(
  call: Call,
  items: readonly T[],
  run: (item: T) => R | Promise<R>,
): Promise<(R | { error: WireError })[]> {
  const results: (R | { error: WireError })[] = [];
  const pause = pauseOf(call);
  const size = new AnswerSize();
  for (const item of items) {
    await pause();
    const result = await resultOf(call, size, () => run(item));
    // The result of a single item is limited elsewhere. Errors count too: many items may quote the same long name.
    if (items.length > 1) size.count(result);
    results.push(result);
  }
  return results;
}

async function resultOf<R>(
  call: Call,
  size: AnswerSize,
  run: () => R | Promise<R>,
): Promise<R | { error: WireError }> {
  try {
    size.checkRoom();
    return await withoutStacks(run);
  } catch (error) {
    return { error: itemError(call, error) };
  }
}

/** Error as results carry it. An error other than JujuError is a bug: logged whole, returned without details. */
export function itemError(call: Call, error: unknown): WireError {
  if (error instanceof JujuError) return wireError(error);
  call.services.log.error('facade method failed', { facade: call.facade, version: call.version, error });
  return { message: 'internal error', code: '' };
}
