/** Calls with the types that wire/facades declares, for both ends the same. */
import type { z } from 'zod';
import type { Connection } from '../client/connection.ts';
import { JujuError, type ErrorCode } from '../core/errors.ts';
import type { action } from '../wire/facades/action.ts';
import type { allWatcher } from '../wire/facades/all-watcher.ts';
import type { annotations } from '../wire/facades/annotations.ts';
import type { application } from '../wire/facades/application.ts';
import type { bundle } from '../wire/facades/bundle.ts';
import type { charms } from '../wire/facades/charms.ts';
import type { client } from '../wire/facades/client.ts';
import type { cloud } from '../wire/facades/cloud.ts';
import type { controller } from '../wire/facades/controller.ts';
import type { lives } from '../wire/facades/lives.ts';
import type { localImages } from '../wire/facades/local-images.ts';
import type { machineManager } from '../wire/facades/machine-manager.ts';
import type { modelConfig } from '../wire/facades/model-config.ts';
import type { modelManager } from '../wire/facades/model-manager.ts';
import type { provisioning } from '../wire/facades/provisioning.ts';
import type { requirements } from '../wire/facades/requirements.ts';
import type { storeReport } from '../wire/facades/store-report.ts';

interface Facades {
  Action: (typeof action)['methods'];
  AllWatcher: (typeof allWatcher)['methods'];
  Annotations: (typeof annotations)['methods'];
  Application: (typeof application)['methods'];
  Bundle: (typeof bundle)['methods'];
  Charms: (typeof charms)['methods'];
  Client: (typeof client)['methods'];
  Cloud: (typeof cloud)['methods'];
  Controller: (typeof controller)['methods'];
  Lives: (typeof lives)['methods'];
  LocalImages: (typeof localImages)['methods'];
  MachineManager: (typeof machineManager)['methods'];
  ModelConfig: (typeof modelConfig)['methods'];
  ModelManager: (typeof modelManager)['methods'];
  Provisioning: (typeof provisioning)['methods'];
  Requirements: (typeof requirements)['methods'];
  StoreReport: (typeof storeReport)['methods'];
}
type Part<F, M, P extends 'params' | 'result'> = M extends keyof F
  ? F[M] extends Readonly<Record<P, infer S extends z.ZodType>>
    ? S
    : never
  : never;
export type ResultOf<F extends keyof Facades, M extends keyof Facades[F]> = z.output<
  Part<Facades[F], M, 'result'>
>;

export function call<F extends keyof Facades, M extends keyof Facades[F] & string>(
  connection: Connection,
  facade: F,
  method: M,
  params: z.input<Part<Facades[F], M, 'params'>>,
  options: { signal?: AbortSignal; id?: string } = {},
): Promise<ResultOf<F, M>> {
  return connection.call(facade, method, params, options);
}

interface WithError {
  readonly error?: { readonly message: string; readonly code?: string | undefined } | undefined;
}

/** The only result of a call about one entity. Errors: the result's own. */
export function only<R extends WithError>(results: readonly R[] | undefined): R {
  const result = results?.[0];
  if (!result) throw new JujuError('', `expected 1 result, got ${results?.length ?? 0}`);
  if (result.error) throw errorOf(result.error);
  return result;
}

export function errorOf(error: NonNullable<WithError['error']>): JujuError {
  return new JujuError((error.code ?? '') as ErrorCode | '', error.message);
}

/** Throws one error that tells of all failed results, each after its name. */
export function allOk(results: readonly WithError[], name: (index: number) => string): void {
  const failed = results.flatMap((result, i) => (result.error ? [{ i, error: result.error }] : []));
  if (failed.length === 0) return;
  if (failed.length === 1 && results.length === 1) throw errorOf(failed[0]!.error);
  throw new JujuError(
    (failed[0]!.error.code ?? '') as ErrorCode | '',
    failed.map(({ i, error }) => `${name(i)}: ${error.message}`).join('\n'),
  );
}
