/** Migration of a model to another controller that the client knows (migration.md#phases). */
import { call, only } from '../client/calls.ts';
import { defined } from '../core/defined.ts';
import { JujuError } from '../core/errors.ts';
import { controllerTag, modelTag, userTag } from '../wire/tags.ts';
import { chooseController, openController, resolveModel, type Client } from './sessions.ts';

/**
 * Begins the migration, which the controller carries on by itself; with `dryRun` both controllers only check the model.
 * Returns the id of the migration, '' for a check. Errors: those of the checks.
 */
export async function migrateModel(
  client: Client,
  {
    model,
    controller,
    dryRun,
  }: { readonly model: string; readonly controller: string; readonly dryRun: boolean },
): Promise<string> {
  const from = await resolveModel(client, model);
  const name = await chooseController(client, controller);
  const records = await client.records();
  const details = (await records.controllers())[name];
  const account = await records.account(name);
  if (!details) throw new JujuError('not found', `controller ${name} not found`);
  if (!account) throw new JujuError('no credentials provided', `not logged in to controller "${name}"`);
  const { user, password } = account;
  const macaroons = password === undefined ? JSON.stringify(await records.macaroons(name)) : undefined;
  const { connection } = await openController(client, from.controller);
  try {
    const { results } = await call(connection, 'Controller', 'InitiateMigration', {
      specs: [
        {
          'model-tag': modelTag(from.uuid),
          'target-info': {
            'controller-tag': controllerTag(details.uuid),
            'controller-alias': name,
            addrs: [...details['api-endpoints']],
            'ca-cert': details['ca-cert'],
            'auth-tag': userTag(user),
            ...defined({ password, macaroons }),
          },
        },
      ],
      'dry-run': dryRun,
    });
    return only(results)['migration-id'];
  } finally {
    await connection.close();
  }
}
