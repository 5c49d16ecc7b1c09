import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { FacadeTable } from '../../facade.ts';
import { addCloud } from './add-cloud.ts';
import { addCredentials } from './add-credentials.ts';
import { cloudInfo, listCloudInfo } from './cloud-info.ts';
import { cloud as cloudMethod } from './cloud.ts';
import { clouds } from './clouds.ts';
import { credentialContents } from './credential-contents.ts';
import { credential } from './credential.ts';
import { instanceTypes } from './instance-types.ts';
import { modifyCloudAccess } from './modify-cloud-access.ts';
import { removeClouds } from './remove-clouds.ts';
import { revokeCredentialsCheckModels } from './revoke-credentials-check-models.ts';
import { updateCloud } from './update-cloud.ts';
import { checkCredentialsModels, updateCredentialsCheckModels } from './update-credentials-check-models.ts';
import { userCredentials } from './user-credentials.ts';

/** Cloud facade. The owner of credentials depends on the params: methods with `login` check each. */
export const cloud = {
  AddCloud: { needs: 'superuser', run: addCloud },
  AddCredentials: { needs: 'login', run: addCredentials },
  CheckCredentialsModels: { needs: 'login', run: checkCredentialsModels },
  Cloud: { needs: 'login', run: cloudMethod },
  CloudInfo: { needs: 'login', run: cloudInfo },
  Clouds: { needs: 'login', run: clouds },
  Credential: { needs: 'login', run: credential },
  CredentialContents: { needs: 'login', run: credentialContents },
  InstanceTypes: { needs: 'login', run: instanceTypes },
  ListCloudInfo: { needs: 'login', run: listCloudInfo },
  ModifyCloudAccess: { needs: 'superuser', run: modifyCloudAccess },
  RemoveClouds: { needs: 'login', run: removeClouds },
  RevokeCredentialsCheckModels: { needs: 'login', run: revokeCredentialsCheckModels },
  UpdateCloud: { needs: 'superuser', run: updateCloud },
  UpdateCredentialsCheckModels: { needs: 'login', run: updateCredentialsCheckModels },
  UserCredentials: { needs: 'login', run: userCredentials },
} satisfies FacadeTable<typeof spec>;
