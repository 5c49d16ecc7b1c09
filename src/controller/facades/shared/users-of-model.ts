import type { z } from 'zod';
import { accessId } from '../../../core/access/document.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { userId } from '../../../core/user/document.ts';
import type { modelUser } from '../../../wire/facades/model-manager.ts';
import { modelTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';

/** Users with access to a model, with their last connection to it. */
export function usersOfModel(call: Call, { uuid }: ModelDoc): z.input<typeof modelUser>[] {
  const root = call.read().in('');
  return [...root.find('access', 'model', uuid)].map(({ user, access }) => ({
    'model-tag': modelTag(uuid),
    user,
    'display-name': root.get('user', userId(user))?.displayName ?? '',
    'last-connection': lastConnection(call, uuid, user),
    access,
  }));
}

/** Time of a user's last connection to a model; null: never. */
export function lastConnection(call: Call, model: string, user: string): string | null {
  return call.read().in('').get('last-login', accessId({ user, model }))?.at ?? null;
}
