import { ownedKey, relationName, type OwnedKind, type OwnedThings } from '../owned.ts';
import type { LiveModel } from '../plan.ts';

/**
 * All that may go in a revert because it was not there: of machines only `machines`. Secrets and storage pools stay, as
 * their contents could not be brought back; so does the access of `users`.
 */
export function revertible(
  { bundle: { state }, settings, constraints, access, secrets }: Omit<LiveModel, 'owned'>,
  { users, machines }: { readonly users: readonly string[]; readonly machines: readonly string[] },
): OwnedThings {
  const things = new Set<string>();
  const add = (kind: OwnedKind, ...names: readonly string[]): void =>
    void things.add(ownedKey({ kind, name: names.join(' ') }));
  for (const [name, application] of Object.entries(state.applications)) {
    add('application', name);
    add('constraints', name);
    add('expose', name);
    add('trust', name);
    add('after', name);
    for (const endpoint of Object.keys(application.bindings)) add('binding', name, endpoint);
    for (const key of Object.keys(application.annotations)) add('annotation', 'application', name, key);
    for (const option of Object.keys(application.options)) add('option', name, option);
    for (const [offer, { acl }] of Object.entries(application.offers ?? {})) {
      add('offer', offer);
      for (const grantee of Object.keys(acl))
        if (!users.includes(grantee)) add('offer-access', offer, grantee);
    }
  }
  for (const ends of state.relations) add('relation', relationName(ends));
  for (const name of Object.keys(state.saas ?? {})) add('saas', name);
  for (const [id, { annotations }] of Object.entries(state.machines))
    for (const key of Object.keys(annotations)) add('annotation', 'machine', id, key);
  for (const secret of Object.keys(secrets)) add('secret-description', secret);
  for (const [secret, { grants }] of Object.entries(secrets))
    for (const application of grants) add('secret-grant', secret, application);
  for (const name of Object.keys(access)) if (!users.includes(name)) add('access', name);
  for (const name of Object.keys(settings)) add('setting', name);
  if (Object.keys(constraints).length > 0) add('model-constraints', 'model');
  for (const machine of machines) add('machine', machine);
  return things;
}
