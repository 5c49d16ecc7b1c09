import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeControllerAccess } from '../../transactions/change/change-access.ts';
import { changeAccess } from '../shared/change-access.ts';

/** Grants and revokes access to the controller. */
export function modifyControllerAccess(
  call: Call,
  { changes }: ParamsOf<typeof spec, 'ModifyControllerAccess'>,
): Promise<ResultOf<typeof spec, 'ModifyControllerAccess'>> {
  return changeAccess(call, changes, { change: changeControllerAccess });
}
