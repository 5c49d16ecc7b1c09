import { JujuError } from '../../../core/errors.ts';
import { userId } from '../../../core/user/document.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import { parseTagOf, parseUserTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeCloudAccess } from '../../transactions/change/change-access.ts';
import { changeAccess } from '../shared/change-access.ts';
import { callerName } from '../shared/model-access.ts';

/** Grants and revokes access to clouds. */
export function modifyCloudAccess(
  call: Call,
  { changes }: ParamsOf<typeof spec, 'ModifyCloudAccess'>,
): Promise<ResultOf<typeof spec, 'ModifyCloudAccess'>> {
  return changeAccess(call, changes, {
    check: ({ 'user-tag': tag }) => {
      if (userId(parseUserTag(tag)) === userId(callerName(call)))
        throw new JujuError('', 'cannot change your own cloud access');
    },
    change: (tx, access, { 'cloud-tag': tag }) =>
      changeCloudAccess(tx, { ...access, cloud: parseTagOf('cloud', tag) }),
  });
}
