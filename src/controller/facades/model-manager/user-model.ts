import { accessOf as accessTo, grantee } from '../../../core/access/access-of.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { userTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { lastConnection } from '../shared/users-of-model.ts';

/** Models that a user may see; `all`: every one, for a superuser who asks for that. */
export function modelsOf(call: Call, user: string, all: boolean): ModelDoc[] {
  const root = call.read().in('');
  if (all) return [...root.list('model')];
  return [...root.find('access', 'user', user)].flatMap(({ model }) => root.get('model', model) ?? []);
}

export function userModel(call: Call, model: ModelDoc, user: string) {
  return {
    model: { name: model.name, uuid: model.uuid, type: 'iaas', 'owner-tag': userTag(model.owner) },
    'last-connection': lastConnection(call, model.uuid, user),
  };
}

export function accessOf(call: Call, model: string, user: string): string {
  const root = call.read().in('');
  const whose = grantee(root, user);
  return whose ? accessTo(root, whose, { kind: 'model', id: model }) : '';
}
