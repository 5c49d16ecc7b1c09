import { defined } from '../../../core/defined.ts';
import { isSecretBackendKey } from '../../../core/secret-backend/config.ts';
import type { SecretBackendDoc } from '../../../core/secret-backend/document.ts';
import type { secretBackends as spec } from '../../../wire/facades/secret-backends.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { revisionsIn } from '../../transactions/secret-backends.ts';
import type { View } from '../../transactions/tx.ts';

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
    ...(isWanted('internal') ? [internal(call, view)] : []),
    ...(await Promise.all(docs.map((doc) => describe(call, view, doc)))),
  ];
  const known = new Set(described.map(({ result }) => result.name));
  const missing = (names ?? []).filter((name) => !known.has(name)).map(notFoundResult);
  return { results: [...described, ...missing] };
}

function internal(call: Call, view: View): Listed {
  return {
    result: { name: 'internal', 'backend-type': 'controller', config: {} },
    id: call.store.read().get('controller', 'self')?.uuid ?? '',
    'num-secrets': revisionsIn(view, 'internal'),
    status: 'active',
  };
}

async function describe(call: Call, view: View, doc: SecretBackendDoc): Promise<Listed> {
  const { id, name, type, config, tokenRotate } = doc;
  const problem = await call.services.secretBackends
    .open(doc)
    .check()
    .then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
  return {
    result: {
      name,
      'backend-type': type,
      ...defined({ 'token-rotate-interval': tokenRotate === undefined ? undefined : tokenRotate * 1e6 }),
      config: Object.fromEntries(Object.entries(config).filter(([key]) => !isSecretBackendKey(key))),
    },
    id,
    'num-secrets': revisionsIn(view, id),
    status: problem === undefined ? 'active' : 'error',
    ...defined({ message: problem }),
  };
}

function notFoundResult(name: string): Listed {
  return {
    result: { name, 'backend-type': '', config: {} },
    id: '',
    'num-secrets': 0,
    status: 'error',
    error: { message: `secret backend "${name}" not found`, code: 'not found' },
  };
}
