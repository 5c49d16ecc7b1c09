/** Typed API calls, with the types that wire/facades declares, and the readers of their results. */
import { JujuError, type ErrorCode } from '../core/errors.ts';
import type { RequestOf, ResponseOf } from '../wire/facade-spec.ts';
import type { FacadeName, Facades, MethodName } from '../wire/facades/index.ts';
import type { Connection } from './connection.ts';

export type ParamsOf<F extends FacadeName, M extends MethodName<F>> = RequestOf<Facades[F], M>;
export type ResultOf<F extends FacadeName, M extends MethodName<F>> = ResponseOf<Facades[F], M>;

export function call<F extends FacadeName, M extends MethodName<F>>(
  connection: Connection,
  facade: F,
  method: M,
  params: ParamsOf<F, M>,
  options: { signal?: AbortSignal; id?: string } = {},
): Promise<ResultOf<F, M>> {
  return connection.call(facade, method, params, options);
}

interface WithError {
  readonly error?:
    | {
        readonly message: string;
        readonly code?: string | undefined;
        readonly info?: Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
}

/** Returns the single result of a call about one entity. Errors: the result's own. */
export function only<R extends WithError>(results: readonly R[] | undefined): R {
  const result = results?.[0];
  if (!result) throw new JujuError('', `expected 1 result, got ${results?.length ?? 0}`);
  if (result.error) throw errorOf(result.error);
  return result;
}

export function errorOf(error: NonNullable<WithError['error']>): JujuError {
  const { code = '', message, info } = error;
  return new JujuError(code as ErrorCode | '', message, info ? { info: { ...info } } : {});
}

/** Throws one error that lists all failed results, each after its name. */
export function allOk(results: readonly WithError[], name: (index: number) => string): void {
  const failed = results.flatMap((result, i) => (result.error ? [{ i, error: result.error }] : []));
  if (failed.length === 0) return;
  if (failed.length === 1 && results.length === 1) throw errorOf(failed[0]!.error);
  throw new JujuError(
    (failed[0]!.error.code ?? '') as ErrorCode | '',
    failed.map(({ i, error }) => `${name(i)}: ${error.message}`).join('\n'),
  );
}
