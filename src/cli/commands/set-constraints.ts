import { parseConstraints } from '../../core/constraints.ts';
import { call } from '../calls.ts';
import { command, modelFlags } from '../command.ts';
import { constraintsToWire } from '../constraints-wire.ts';
import { UsageError } from '../errors.ts';

export const setConstraints = command({
  name: 'set-constraints',
  summary: 'Sets machine constraints for an application.',
  usage: '<application> <constraint>=<value> ...',
  details: `Sets constraints for an application, which are used for all new machines provisioned for it. They
replace all that were set before.`,
  examples: ['set-constraints mysql mem=8G cores=4'],
  seeAlso: ['constraints', 'model-constraints', 'set-model-constraints'],
  completes: ['application'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [application, ...words] = args;
    if (!application) throw new UsageError('no application name specified');
    const constraints = constraintsToWire(parseConstraints(words.join(' ')));
    const { connection } = await context.openModel(model);
    await call(connection, 'Application', 'SetConstraints', { application, constraints });
  },
});
