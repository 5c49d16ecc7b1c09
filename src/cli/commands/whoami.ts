import { browserFlags, command, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { defined } from '../../core/defined.ts';

export const whoami = command({
  name: 'whoami',
  summary: 'Print current login details.',
  details: 'Display the current controller, model and logged in user name.',
  examples: ['whoami'],
  seeAlso: ['controllers', 'switch'],
  flags: { ...browserFlags, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, { format }, args) {
    noMoreArgs(args);
    const store = await context.store();
    const controller = context.io.env['JUJU_CONTROLLER'] || (await store.currentController());
    if (!controller) {
      context.info('There is no current controller.\nRun grigri controllers to see available controllers.');
      return;
    }
    const account = await store.account(controller);
    if (!account) {
      context.info(`You are not logged in to controller "${controller}".`);
      return;
    }
    const qualified = await store.currentModel(controller);
    const model = qualified?.startsWith(`${account.user}/`)
      ? qualified.slice(account.user.length + 1)
      : qualified;
    const shown = { controller, ...defined({ model: model || undefined }), user: account.user };
    await context.write(
      render(format, shown, {
        tabular: () =>
          formatSections([
            {
              rows: [
                ['Controller:', controller],
                ['Model:', model ?? '<no-current-model>'],
                ['User:', account.user],
              ],
            },
          ]),
      }),
    );
  },
});
