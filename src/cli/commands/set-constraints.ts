import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { checkedConstraints } from '../../operate/constraints.ts';
import { readConstraints } from '../constraints.ts';
import { UsageError } from '../errors.ts';
import { applicationFlag } from './constraints.ts';

export const setConstraints = command({
  name: 'set-constraints',
  summary: 'Sets machine constraints for an application.',
  usage: '<application> <constraint>=<value> ...',
  details: `Sets constraints for an application, which are used for all new machines provisioned for it. They replace
all earlier constraints and apply to units added later: existing units keep their machines. The model's constraints
apply where the application has none; an empty value (mem=) disables that of the model.

Subordinate applications have no machines and therefore no constraints.`,
  examples: ['set-constraints mysql mem=8G cores=4', 'set-constraints --application mysql mem=8G'],
  seeAlso: ['constraints', 'model-constraints', 'set-model-constraints'],
  completes: ['application'],
  flags: { ...modelFlags, application: applicationFlag },
  async run(context, flags, args) {
    const [application, ...words] = flags.application ? [flags.application, ...args] : args;
    if (!application) throw new UsageError('no application name specified');
    const requestedConstraints = readConstraints(words);
    const { connection } = await context.openModel(flags.model);
    const constraints = await checkedConstraints(context.operator(), connection, requestedConstraints);
    await call(connection, 'Application', 'SetConstraints', { application, constraints });
  },
});
