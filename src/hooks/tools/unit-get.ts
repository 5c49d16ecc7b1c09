import { JujuError } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool } from '../tool.ts';

export const unitGet = defineTool({
  name: 'unit-get',
  args: '<private-address|public-address>',
  purpose: "Print the unit's public or private address.",
  output: 'smart',
  flags: {},
  run({ args, context }) {
    atMost(args, 1);
    const setting = args[0];
    if (setting === undefined) throw new UsageError('no setting specified');
    if (setting !== 'private-address' && setting !== 'public-address')
      throw new UsageError(`unknown setting "${setting}"`);
    const address =
      setting === 'private-address'
        ? (context.network('')?.devices[0]?.addresses[0]?.value ?? context.privateAddress())
        : context.publicAddress();
    if (address === '')
      throw new JujuError('no address set', `no ${setting.replace('-', ' ')} set for unit "${context.unit}"`);
    return address;
  },
});
