import { cloudTag } from '../../wire/tags.ts';
import { allOk, call } from '../../client/calls.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { required, whereFlags, whereToChange } from '../clouds/where.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';

export const removeCloud = command({
  name: 'remove-cloud',
  summary: 'Removes a cloud from grigri.',
  usage: '<cloud name>',
  details: `From this client, from a controller, or both. On a controller its credentials go with it; it is refused while
a model is on the cloud. Credentials of this client stay: remove-credential removes them.`,
  examples: [
    'remove-cloud mycloud',
    'remove-cloud mycloud --client',
    'remove-cloud mycloud --controller mycontroller',
  ],
  seeAlso: ['add-cloud', 'update-cloud', 'clouds'],
  completes: ['cloud'],
  flags: whereFlags,
  async run(context, flags, args) {
    const [given, ...rest] = args;
    const name = required(given, 'Usage: grigri remove-cloud <cloud name>');
    noMoreArgs(rest);
    const where = await whereToChange(context, flags, `remove cloud "${name}" from`);
    if (!where) return;
    if (where.client) {
      const files = await cloudFiles(context);
      const known = (await files.clouds()).has(name)
        ? 'local'
        : (await findClientCloud(context, name))?.defined;
      if (known === 'local') {
        await files.setCloud(name, undefined);
        context.info(`Removed details of cloud "${name}" from this client`);
      } else if (known) context.info(`Cannot remove built-in cloud "${name}" from client`);
      else context.info(`No cloud called "${name}" exists on this client`);
    }
    if (where.controller === undefined) return;
    const { connection, controller } = await context.openController(where.controller);
    const { results } = await call(connection, 'Cloud', 'RemoveClouds', {
      entities: [{ tag: cloudTag(name) }],
    });
    allOk(results, () => name);
    context.info(`Removed details of cloud "${name}" from controller "${controller}"`);
  },
});
