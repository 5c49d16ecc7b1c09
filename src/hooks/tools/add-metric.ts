import { defineTool, keyValues } from '../tool.ts';
import { UsageError } from '../../kit/gnuflag.ts';

/**
 * Metrics went to a service that no longer exists: they are checked and dropped (hook-tools.md#tools-without-effect).
 */
export const addMetric = defineTool({
  name: 'add-metric',
  args: '<key>=<value> ...',
  purpose: 'Add metrics, which nobody collects any more: they are dropped.',
  flags: {
    labels: { kind: 'string', short: 'l', help: 'Labels to be associated with metric values' },
  },
  run({ args, flags, context }) {
    if (args.length === 0) throw new UsageError('no metrics specified');
    const keys = [...keyValues(args).keys()];
    if (flags.labels !== '') keyValues(flags.labels.split(','));
    context.log('INFO', `add-metric: nobody collects metrics, dropped: ${keys.join(', ')}`);
  },
});
