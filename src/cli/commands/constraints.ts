import { constraintsFromWire, formatConstraints } from '../../core/constraints.ts';
import { applicationTag } from '../../wire/tags.ts';
import { call, only } from '../calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { render } from '../format/render.ts';

export const constraints = command({
  name: 'constraints',
  summary: 'Displays machine constraints for an application.',
  usage: '<application>',
  examples: ['constraints mysql', 'constraints -m mymodel apache2'],
  seeAlso: ['set-constraints', 'model-constraints', 'set-model-constraints'],
  completes: ['application'],
  flags: { ...modelFlags, ...formatFlags('constraints', 'json', 'yaml') },
  async run(context, { model, format }, args) {
    const [application, ...rest] = args;
    if (!application) throw new UsageError('no application name specified');
    noMoreArgs(rest);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Application', 'GetConstraints', {
      entities: [{ tag: applicationTag(application) }],
    });
    const value = constraintsFromWire(only(results).constraints);
    await context.write(render(format, value, { constraints: () => `${formatConstraints(value)}\n` }));
  },
});
