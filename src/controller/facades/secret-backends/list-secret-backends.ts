import { notFound } from '../../../core/errors.ts';
import { wireError } from '../../../wire/errors.ts';
import type { secretBackends as spec } from '../../../wire/facades/secret-backends.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { revisionsIn } from '../../transactions/shared/secret-backends.ts';
import { describeBackend, describeInternal } from '../shared/secret-backends.ts';

type Listed = ResultOf<typeof spec, 'ListSecretBackends'>['results'][number];

/** Lists backends with whether they can be used now. Secrets of their configuration are shown to nobody. */
export async function listSecretBackends(
  call: Call,
  { names }: ParamsOf<typeof spec, 'ListSecretBackends'>,
): Promise<ResultOf<typeof spec, 'ListSecretBackends'>> {
  const view = call.read().in('');
  const isWanted = (name: string): boolean => !names?.length || names.includes(name);
  const docs = [...view.list('secret-backend')].filter(({ name }) => isWanted(name));
  const described = [
    ...(isWanted('internal') ? [describeInternal(call, revisionsIn(view, 'internal'))] : []),
    ...(await Promise.all(docs.map((doc) => describeBackend(call, doc, revisionsIn(view, doc.id))))),
  ];
  const known = new Set(described.map(({ result }) => result.name));
  const missing = (names ?? []).filter((name) => !known.has(name)).map(notFoundResult);
  return { results: [...described, ...missing] };
}

function notFoundResult(name: string): Listed {
  return {
    result: { name, 'backend-type': '', config: {} },
    id: '',
    'num-secrets': 0,
    status: 'error',
    error: wireError(notFound('secret backend', name)),
  };
}
