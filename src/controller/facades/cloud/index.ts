import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { FacadeTable } from '../../facade.ts';
import { cloud as cloudMethod } from './cloud.ts';
import { clouds } from './clouds.ts';
import { credential } from './credential.ts';
import { updateCredentialsCheckModels } from './update-credentials-check-models.ts';
import { userCredentials } from './user-credentials.ts';

export const cloud = {
  Cloud: { needs: 'login', run: cloudMethod },
  Clouds: { needs: 'login', run: clouds },
  Credential: { needs: 'login', run: credential },
  UpdateCredentialsCheckModels: { needs: 'login', run: updateCredentialsCheckModels },
  UserCredentials: { needs: 'login', run: userCredentials },
} satisfies FacadeTable<typeof spec>;
