import { grantee } from '../../../core/access/access-of.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGetUser } from '../../transactions/set/set-user.ts';
import { isSuperuser, userOfTag } from '../shared/model-access.ts';
import { modelsOf, userModel } from './user-model.ts';

/** Lists models; a superuser's own list has every model. */
export function listModels(
  call: Call,
  params: ParamsOf<typeof spec, 'ListModels'>,
): ResultOf<typeof spec, 'ListModels'> {
  const user = userOfTag(call, params.tag);
  const root = call.read().in('');
  const { access } = grantee(root, user) ?? mustGetUser(root, user);
  const all = isSuperuser(call) && access === 'superuser';
  return { 'user-models': modelsOf(call, user, all).map((model) => userModel(call, model, user)) };
}
