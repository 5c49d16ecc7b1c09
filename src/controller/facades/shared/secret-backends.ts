import type { z } from 'zod';
import { defined } from '../../../core/defined.ts';
import { isSecretBackendKey } from '../../../core/secret-backend/config.ts';
import type { SecretBackendDoc } from '../../../core/secret-backend/document.ts';
import type { secretBackendResult } from '../../../wire/facades/secret-backends.ts';
import type { Call } from '../../facade.ts';

type Listed = z.input<typeof secretBackendResult>;

/** Describes the controller's own backend. `count`: of revisions. */
export function describeInternal(call: Call, count: number): Listed {
  return {
    result: { name: 'internal', 'backend-type': 'controller', config: {} },
    id: call.store.read().get('controller', 'self')?.uuid ?? '',
    'num-secrets': count,
    status: 'active',
  };
}

/** Describes a backend, with whether it can be used now. Secrets of its configuration are shown to nobody. */
export async function describeBackend(call: Call, doc: SecretBackendDoc, count: number): Promise<Listed> {
  const { id, name, type, config, tokenRotate } = doc;
  const problem = await call.services.secretBackends.problemOf(doc);
  return {
    result: {
      name,
      'backend-type': type,
      ...defined({ 'token-rotate-interval': tokenRotate === undefined ? undefined : tokenRotate * 1e6 }),
      config: Object.fromEntries(Object.entries(config).filter(([key]) => !isSecretBackendKey(key))),
    },
    id,
    'num-secrets': count,
    status: problem === undefined ? 'active' : 'error',
    ...defined({ message: problem }),
  };
}

/**
 * Revokes the token of a backend's former record, which the controller had made. A failure is only logged: such a token
 * has a limited life.
 */
export async function revokeToken(call: Call, former: SecretBackendDoc): Promise<void> {
  const { log, secretBackends } = call.services;
  try {
    await secretBackends.open(former).revokeOwnToken();
  } catch (error) {
    log.warning('a token of a secret backend could not be revoked', {
      backend: former.name,
      error: (error as Error).message,
    });
  }
}

/** Describes the backends that have contents of a model, with their numbers. */
export async function backendsOfModel(call: Call, model: string): Promise<Listed[]> {
  const root = call.read().in('');
  const count = (id: string): number => root.in(model).count('secret-revision', 'backend', id);
  const own = count('internal');
  const used = [...root.list('secret-backend')].filter(({ id }) => count(id) > 0);
  return [
    ...(own > 0 ? [describeInternal(call, own)] : []),
    ...(await Promise.all(used.map((doc) => describeBackend(call, doc, count(doc.id))))),
  ];
}
