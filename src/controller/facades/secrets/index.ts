/** Facade of secrets: charms' are shown, users' are changed too. */
import type { secrets as spec } from '../../../wire/facades/secrets.ts';
import type { FacadeTable } from '../../facade.ts';
import { createSecrets } from './create-secrets.ts';
import { grantSecret, revokeSecret } from './grant-secret.ts';
import { listSecrets } from './list-secrets.ts';
import { removeSecrets } from './remove-secrets.ts';
import { updateSecrets } from './update-secrets.ts';

export const secrets = {
  ListSecrets: { needs: 'model-read', run: listSecrets },
  CreateSecrets: { needs: 'model-write', run: createSecrets },
  UpdateSecrets: { needs: 'model-write', run: updateSecrets },
  RemoveSecrets: { needs: 'model-write', run: removeSecrets },
  GrantSecret: { needs: 'model-write', run: grantSecret },
  RevokeSecret: { needs: 'model-write', run: revokeSecret },
} satisfies FacadeTable<typeof spec>;
