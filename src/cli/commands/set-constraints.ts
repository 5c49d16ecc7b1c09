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
  details: `Sets constraints for an application, which are used for all new machines provisioned for it. They
replace all that were set before, and count for units added from now on: those that are there keep the
machines that they have. Where the application says nothing the model's constraints count;
mem= says that there are none, whatever the model has.

A subordinate application has no machines, and so no constraints.`,
  examples: ['set-constraints mysql mem=8G cores=4', 'set-constraints --application mysql mem=8G'],
  seeAlso: ['constraints', 'model-constraints', 'set-model-constraints'],
  completes: ['application'],
  flags: { ...modelFlags, application: applicationFlag },
  async run(context, flags, args) {
    const [application, ...words] = flags.application ? [flags.application, ...args] : args;
    if (!application) throw new UsageError('no application name specified');
    const asked = readConstraints(words);
    const { connection } = await context.openModel(flags.model);
    const constraints = await checkedConstraints(context.operator(), connection, asked);
    await call(connection, 'Application', 'SetConstraints', { application, constraints });
  },
});
