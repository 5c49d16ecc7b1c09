import type { View } from '../tx.ts';

/** Models that use the credential, in the controller's space. `id`: the CredentialDoc's. */
export function modelsWith(view: View, id: string): { uuid: string; name: string }[] {
  return [...view.list('model')]
    .filter((model) => model.credential === id)
    .map(({ uuid, name }) => ({ uuid, name }));
}
