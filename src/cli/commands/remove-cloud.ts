import { cloudTag } from '../../wire/tags.ts';
import { allOk, call } from '../../client/calls.ts';
import { cloudFiles, findClientCloud } from '../clouds/client-clouds.ts';
import { required, scopeFlags, scopeToChange } from '../clouds/where.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';

export const removeCloud = command({
  name: 'remove-cloud',
  summary: 'Removes a cloud from grigri.',
  usage: '<cloud name>',
  details: `Removes the cloud from this client, from a controller, or both. A controller also removes the credentials
for the cloud, and refuses the removal while a model uses the cloud. Credentials on this client are kept: use
remove-credential to remove them.`,
  examples: [
    'remove-cloud mycloud',
    'remove-cloud mycloud --client',
    'remove-cloud mycloud --controller mycontroller',
  ],
  seeAlso: ['add-cloud', 'update-cloud', 'clouds'],
  completes: ['cloud'],
  flags: scopeFlags,
  async run(context, flags, args) {
    const [cloudName, ...moreArgs] = args;
    const name = required(cloudName, 'Usage: grigri remove-cloud <cloud name>');
    noMoreArgs(moreArgs);
    const scope = await scopeToChange(context, flags, `remove cloud "${name}" from`);
    if (!scope) return;
    if (scope.client) {
      const files = await cloudFiles(context);
      const definedIn = (await files.clouds()).has(name)
        ? 'local'
        : (await findClientCloud(context, name))?.defined;
      if (definedIn === 'local') {
        await files.setCloud(name, undefined);
        context.info(`Removed details of cloud "${name}" from this client`);
      } else if (definedIn) context.info(`Cannot remove built-in cloud "${name}" from client`);
      else context.info(`No cloud called "${name}" exists on this client`);
    }
    if (scope.controller === undefined) return;
    const { connection, controller } = await context.openController(scope.controller);
    const { results } = await call(connection, 'Cloud', 'RemoveClouds', {
      entities: [{ tag: cloudTag(name) }],
    });
    allOk(results, () => name);
    context.info(`Removed details of cloud "${name}" from controller "${controller}"`);
  },
});
