import { call, type ResultOf } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';
import { defined } from '../core/defined.ts';
import { modelTag } from '../wire/tags.ts';
import type { ControllerDetails } from './records.ts';

/**
 * Details of a controller for a client that has not made it: cloud and machines, from the controller's own model, for
 * users who may see that model. Undefined for other users.
 */
export async function controllerDetails(
  connection: Connection,
  models: ResultOf<'ModelManager', 'ListModels'>['user-models'],
): Promise<Partial<ControllerDetails> | undefined> {
  const entities = models.flatMap(({ model }) =>
    model.name === 'controller' ? [{ tag: modelTag(model.uuid) }] : [],
  );
  if (entities.length === 0) return undefined;
  const { results } = await call(connection, 'ModelManager', 'ModelInfo', { entities });
  const info = results.find(({ result }) => result?.['is-controller'])?.result;
  if (!info) return undefined;
  const voting = info.machines.filter((machine) => machine['wants-vote']);
  const counts = {
    'controller-machine-count': voting.length,
    'active-controller-machine-count': voting.filter((machine) => machine['has-vote']).length,
    'machine-count': info.machines.length,
  };
  return {
    cloud: info['cloud-tag'].replace(/^cloud-/, ''),
    ...defined({ region: info['cloud-region'], type: info['provider-type'] }),
    // Machines are shown only to users who may write the model.
    ...(voting.length > 0 ? counts : {}),
  };
}
