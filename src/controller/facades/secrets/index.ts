/** Facade of secrets: those of charms are shown, those of users are changed too. */
import type { secrets as spec } from '../../../wire/facades/secrets.ts';
import type { FacadeTable } from '../../facade.ts';
import { createSecrets } from './create-secrets.ts';
import { grantSecret, revokeSecret } from './grant-secret.ts';
import { listSecrets } from './list-secrets.ts';
import { removeSecrets } from './remove-secrets.ts';
import { updateSecrets } from './update-secrets.ts';

export const secrets = {
  ListSecrets: { needs: 'model-read', run: listSecrets },
  CreateSecrets: { needs: 'model-write', blockable: 'never', run: createSecrets },
  UpdateSecrets: { needs: 'model-write', blockable: 'never', run: updateSecrets },
  RemoveSecrets: { needs: 'model-write', blockable: 'never', run: removeSecrets },
  GrantSecret: { needs: 'model-write', blockable: 'never', run: grantSecret },
  RevokeSecret: { needs: 'model-write', blockable: 'never', run: revokeSecret },
} satisfies FacadeTable<typeof spec>;
