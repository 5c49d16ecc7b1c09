import type { credentialManager as spec } from '../../../wire/facades/credential-manager.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { invalidateModelCredential } from '../../transactions/set/update-credential.ts';

export const credentialManager = {
  InvalidateModelCredential: { needs: 'model-admin', blockable: 'never', run: invalidate },
} satisfies FacadeTable<typeof spec>;

async function invalidate(
  call: Call,
  { reason = '' }: ParamsOf<typeof spec, 'InvalidateModelCredential'>,
): Promise<ResultOf<typeof spec, 'InvalidateModelCredential'>> {
  const { modelUuid } = call;
  await call.store.change(
    (tx) => invalidateModelCredential(tx.in(''), { model: modelUuid, reason }),
    call.by,
  );
  return {};
}
