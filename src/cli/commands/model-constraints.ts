import { constraintsFromWire, formatConstraints } from '../../core/constraints.ts';
import { call } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { render } from '../format/render.ts';

export const modelConstraints = command({
  name: 'model-constraints',
  summary: 'Displays machine constraints for a model.',
  examples: ['model-constraints', 'model-constraints -m mymodel'],
  seeAlso: ['constraints', 'set-model-constraints'],
  flags: { ...modelFlags, ...formatFlags('constraints', 'json', 'yaml') },
  async run(context, { model, format }, args) {
    noMoreArgs(args);
    const { connection } = await context.openModel(model);
    const result = await call(connection, 'ModelConfig', 'GetModelConstraints', {});
    const value = constraintsFromWire(result.constraints);
    await context.write(render(format, value, { constraints: () => `${formatConstraints(value)}\n` }));
  },
});
