import { defined } from '../../../core/defined.ts';
import { JujuError, notValid } from '../../../core/errors.ts';
import { checkBackend, checkBackendConfig, readBackendConfig } from '../../../core/secret-backend/config.ts';
import { rotationOf } from '../../../core/secret-backend/rotation.ts';
import type { secretBackends as spec } from '../../../wire/facades/secret-backends.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { putBackend } from '../../transactions/shared/secret-backends.ts';
import { bulk } from '../shared/bulk.ts';

/**
 * Adds backends that exist and accept their tokens. Errors: `not valid`, `already exists`; '' for a server that does
 * not let the controller in.
 */
export async function addSecretBackends(
  call: Call,
  params: ParamsOf<typeof spec, 'AddSecretBackends'>,
): Promise<ResultOf<typeof spec, 'AddSecretBackends'>> {
  const { secretBackends } = call.services;
  return {
    results: await bulk(call, params.args, async (args) => {
      const { name, 'backend-type': type, id = '' } = args;
      checkBackend({ name, type });
      const config = readBackendConfig(args.config ?? {});
      checkBackendConfig(config);
      const tokenRotate = rotationOf(args['token-rotate-interval'] ?? undefined);
      if (tokenRotate !== undefined && config['token'] === undefined)
        throw notValid('token rotation without a token not valid');
      if (id !== '' && !/^[0-9a-z-]{1,64}$/.test(id)) throw notValid('backend ID');
      const doc = {
        id: id || (await call.store.change((root) => root.in('').newUuid(), call.by)),
        name,
        type: 'vault' as const,
        config: secretBackends.sealConfig(config),
      };
      await secretBackends.open(doc).check();
      await call.store.change((root) => {
        const tx = root.in('');
        if (tx.get('secret-backend', doc.id))
          throw new JujuError('already exists', `secret backend with ID "${doc.id}" already exists`);
        putBackend(tx, { ...doc, ...defined(tokenRotation(tx.now, tokenRotate)) });
      }, call.by);
      return {};
    }),
  };
}

/** Time at which a token is replaced next. */
export function tokenRotation(
  now: string,
  tokenRotate: number | undefined,
): { readonly tokenRotate: number | undefined; readonly nextTokenRotate: string | undefined } {
  const next = tokenRotate === undefined ? undefined : new Date(Date.parse(now) + tokenRotate).toISOString();
  return { tokenRotate, nextTokenRotate: next };
}
