import type { userManager as spec } from '../../../wire/facades/user-manager.ts';
import type { FacadeTable } from '../../facade.ts';
import { addUser } from './add-user.ts';
import { modelUserInfo } from './model-user-info.ts';
import { resetPassword } from './reset-password.ts';
import { setPassword } from './set-password.ts';
import { disableUser, enableUser, removeUser } from './end-user.ts';
import { userInfo } from './user-info.ts';

/** UserManager facade. Methods with `login` check each user, or model, that they are asked about. */
export const userManager = {
  AddUser: { needs: 'superuser', blockable: 'change', run: addUser },
  DisableUser: { needs: 'superuser', blockable: 'change', run: disableUser },
  EnableUser: { needs: 'superuser', blockable: 'change', run: enableUser },
  ModelUserInfo: { needs: 'login', run: modelUserInfo },
  RemoveUser: { needs: 'superuser', blockable: 'change', run: removeUser },
  ResetPassword: { needs: 'superuser', blockable: 'change', run: resetPassword },
  SetPassword: { needs: 'login', blockable: 'change', run: setPassword },
  UserInfo: { needs: 'login', run: userInfo },
} satisfies FacadeTable<typeof spec>;
