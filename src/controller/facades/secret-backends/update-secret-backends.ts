import { defined } from '../../../core/defined.ts';
import { notValid } from '../../../core/errors.ts';
import {
  checkBackendConfig,
  checkBackendName,
  readBackendConfig,
} from '../../../core/secret-backend/config.ts';
import { rotationOf } from '../../../core/secret-backend/rotation.ts';
import type { SecretBackendDoc } from '../../../core/secret-backend/document.ts';
import type { secretBackends as spec } from '../../../wire/facades/secret-backends.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { backendNamed, putBackend } from '../../transactions/shared/secret-backends.ts';
import { bulk } from '../shared/bulk.ts';
import { revokeToken } from '../shared/secret-backends.ts';
import { tokenRotation } from './add-secret-backends.ts';

type Change = ParamsOf<typeof spec, 'UpdateSecretBackends'>['args'][number];

/**
 * Changes backends; without `force` only when the server lets the controller in with the new configuration. Errors:
 * `not found`, `not valid`, `already exists`; '' for a server that does not.
 */
export async function updateSecretBackends(
  call: Call,
  params: ParamsOf<typeof spec, 'UpdateSecretBackends'>,
): Promise<ResultOf<typeof spec, 'UpdateSecretBackends'>> {
  const { secretBackends } = call.services;
  return {
    results: await bulk(call, params.args, async (change) => {
      const before = backendNamed(call.read().in(''), change.name);
      const opened = secretBackends.openConfig(before.config);
      const config = changedConfig(opened, change);
      const name = change['name-change'] || before.name;
      checkBackendName(name);
      const { ownToken, ...rest } = before;
      const isKept = config['token'] === opened['token'];
      const after: SecretBackendDoc = {
        ...rest,
        name,
        config: secretBackends.sealConfig(config),
        ...defined({ ownToken: isKept ? ownToken : undefined }),
      };
      if (!change.force) await secretBackends.open(after).check();
      await call.store.change((root) => {
        const tx = root.in('');
        if (tx.get('secret-backend', before.id) !== before)
          throw notValid(`backend "${before.name}" changed meanwhile: updating it not valid`);
        const rotated = withRotation(after, change, tx.now);
        if (rotated.tokenRotate !== undefined && config['token'] === undefined)
          throw notValid('token rotation without a token not valid');
        putBackend(tx, rotated);
      }, call.by);
      if (ownToken && !isKept) await revokeToken(call, before);
      return {};
    }),
  };
}

function changedConfig(before: Readonly<Record<string, string>>, { config, reset }: Change) {
  const kept = Object.entries(before).filter(([key]) => !reset?.includes(key));
  const after = { ...Object.fromEntries(kept), ...readBackendConfig(config ?? {}) };
  checkBackendConfig(after);
  return after;
}

function withRotation(doc: SecretBackendDoc, change: Change, now: string): SecretBackendDoc {
  const given = change['token-rotate-interval'];
  if (given === undefined || given === null) return doc;
  const { tokenRotate: _, nextTokenRotate: __, ...rest } = doc;
  return { ...rest, ...defined(tokenRotation(now, rotationOf(given))) };
}
