import { constraintsFromWire, formatConstraints } from '../../core/constraints.ts';
import { applicationTag } from '../../wire/tags.ts';
import { call, only } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { text } from '../flags.ts';
import { render } from '../format/render.ts';

/**
 * Old flags for the application's name: Juju took the name by a flag before 2.0, and called applications services
 * before that.
 */
export const applicationFlag = text(
  '--service, --application',
  'Application name (deprecated: use the argument)',
  {
    completes: 'application',
  },
);

export const constraints = command({
  name: 'constraints',
  summary: 'Displays machine constraints for an application.',
  usage: '<application>',
  details: `Shows the constraints of the application itself. New units get them together with the constraints of the
model; the application's constraints take precedence.`,
  examples: ['constraints mysql', 'constraints -m mymodel apache2'],
  seeAlso: ['set-constraints', 'model-constraints', 'set-model-constraints'],
  completes: ['application'],
  flags: { ...modelFlags, ...formatFlags('constraints', 'json', 'yaml'), application: applicationFlag },
  async run(context, { model, format, ...flags }, args) {
    const [application, ...moreArgs] = flags.application ? [flags.application, ...args] : args;
    if (!application) throw new UsageError('no application name specified');
    noMoreArgs(moreArgs);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Application', 'GetConstraints', {
      entities: [{ tag: applicationTag(application) }],
    });
    const value = constraintsFromWire(only(results).constraints);
    await context.write(render(format, value, { constraints: () => `${formatConstraints(value)}\n` }));
  },
});
