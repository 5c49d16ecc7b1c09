import { forgetController } from '../clouds/open-cloud.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { confirmByName, mustAsk, promptFlags } from '../prompts.ts';
import { chooseController } from '../../operate/sessions.ts';

export const unregister = command({
  name: 'unregister',
  summary: 'Unregisters a controller.',
  usage: '<controller name>',
  details: `Removes local connection information for the specified controller. This command does not destroy
the controller. To regain access you need its addresses, its CA certificate and a password.`,
  examples: ['unregister my-controller'],
  seeAlso: ['destroy-controller', 'kill-controller'],
  completes: ['controller'],
  flags: promptFlags,
  async run(context, flags, args) {
    const [name, ...moreArgs] = args;
    if (!name) throw new UsageError('controller name must be specified');
    noMoreArgs(moreArgs);
    const controller = await chooseController(context.client, name);
    if (mustAsk(flags)) {
      context.io.stderr.write(
        `This command will remove connection information for controller "${controller}".\nYou will not be able to access it without its password.\n`,
      );
      await confirmByName(context, {
        entity: 'controller',
        verb: 'unregistered',
        name: controller,
        aborted: 'unregistering controller',
      });
    }
    const store = await context.store();
    const { uuid } = (await store.controllers())[controller]!;
    await forgetController(store, controller, uuid);
  },
});
