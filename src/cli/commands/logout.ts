import { JujuError } from '../../core/errors.ts';
import { chooseController } from '../../operate/sessions.ts';
import { command, controllerFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';

export const logout = command({
  name: 'logout',
  summary: 'Logs a Juju user out of a controller.',
  details: `The client forgets user and password; login asks for them. Nothing changes on the controller. A password that
only this client knows, as bootstrap makes one, is kept unless --force is given: choose another one first.`,
  examples: ['logout', 'logout -c mycontroller --force'],
  seeAlso: ['change-user-password', 'login'],
  flags: {
    ...controllerFlags,
    force: bool('--force', 'Force logout when a locally recorded password is detected'),
  },
  async run(context, flags, args) {
    noMoreArgs(args);
    const controller = await chooseController(context.client, flags.controller);
    const store = await context.store();
    const account = await store.account(controller);
    if (account?.password && !account['password-chosen'] && !flags.force)
      throw new JujuError(
        '',
        'preventing account loss\n\nNobody but this client knows the password, and you could not log in again.\nChoose one with "grigri change-user-password" first, or use --force.',
      );
    await store.setAccount(controller, undefined);
    const names = Object.keys(await store.controllers());
    const accounts = await Promise.all(names.map((name) => store.account(name)));
    const count = accounts.filter((one) => one !== undefined).length;
    context.info(
      `Logged out. You are ${count === 0 ? 'no longer logged into any controllers' : `still logged into ${count} controller${count === 1 ? '' : 's'}`}.`,
    );
  },
});
