import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeModelAccess } from '../../transactions/change/change-access.ts';
import { changeAccess } from '../shared/change-access.ts';
import { modelOfTag } from '../shared/model-access.ts';

/** Grants and revokes access to models, for their admins. */
export function modifyModelAccess(
  call: Call,
  { changes }: ParamsOf<typeof spec, 'ModifyModelAccess'>,
): Promise<ResultOf<typeof spec, 'ModifyModelAccess'>> {
  return changeAccess(call, changes, {
    check: ({ 'model-tag': tag }, tx) => void modelOfTag(call, tag, 'admin', tx),
    change: (tx, access, { 'model-tag': tag }) =>
      changeModelAccess(tx, { ...access, model: parseTagOf('model', tag) }),
  });
}
