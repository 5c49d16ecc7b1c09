import { JujuError, type ErrorCode } from '../../core/errors.ts';

export interface Result {
  readonly error?: { readonly message: string; readonly code: string };
}
export interface Results {
  readonly results: readonly Result[];
}

/** Returns the only result. Errors: the result's own. */
export function onlyResult<R extends Result>({ results }: { readonly results: readonly R[] }): R {
  const [result] = results;
  if (!result || results.length > 1) throw new TypeError(`expected 1 result, got ${results.length}`);
  if (result.error) throw new JujuError(result.error.code as ErrorCode | '', result.error.message);
  return result;
}
