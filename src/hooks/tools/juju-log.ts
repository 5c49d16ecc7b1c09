import { logLevels } from '../../core/log-levels.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import { defineTool } from '../tool.ts';

export const jujuLog = defineTool({
  name: 'juju-log',
  args: '<message>',
  purpose: 'Write a message to the juju log.',
  flags: {
    debug: { kind: 'bool', help: 'Log at debug level' },
    'log-level': { kind: 'string', short: 'l', default: 'INFO', help: 'Send log message at the given level' },
    format: { kind: 'string', help: 'Deprecated, does nothing' },
  },
  run({ args, flags, context }) {
    if (args.length === 0) throw new UsageError('no message specified');
    const requested = flags.debug ? 'DEBUG' : flags['log-level'].toUpperCase();
    const alias = requested === 'WARN' ? 'WARNING' : requested;
    const known = logLevels.find((each) => each === alias);
    const level = known ?? 'INFO';
    if (known === undefined)
      context.log('WARNING', `juju-log: unknown level ${JSON.stringify(flags['log-level'])}, taken as INFO`);
    const { relation } = context.event;
    context.log(level, `${relation ? `${relation.endpoint}:${relation.id}: ` : ''}${args.join(' ')}`);
  },
});
