import type { secretBackends as spec } from '../../../wire/facades/secret-backends.ts';
import type { FacadeTable } from '../../facade.ts';
import { addSecretBackends } from './add-secret-backends.ts';
import { listSecretBackends } from './list-secret-backends.ts';
import { removeSecretBackends } from './remove-secret-backends.ts';
import { updateSecretBackends } from './update-secret-backends.ts';

/** Facade of the backends that contents of secrets are kept in. */
export const secretBackends = {
  AddSecretBackends: { needs: 'superuser', run: addSecretBackends },
  ListSecretBackends: { needs: 'login', run: listSecretBackends },
  RemoveSecretBackends: { needs: 'superuser', run: removeSecretBackends },
  UpdateSecretBackends: { needs: 'superuser', run: updateSecretBackends },
} satisfies FacadeTable<typeof spec>;
