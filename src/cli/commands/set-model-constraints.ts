import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { checkedConstraints } from '../../operate/constraints.ts';
import { readConstraints } from '../constraints.ts';

export const setModelConstraints = command({
  name: 'set-model-constraints',
  summary: 'Sets machine constraints on a model.',
  usage: '<constraint>=<value> ...',
  details: `The constraints apply to all new machines of the model, together with those of the application, which take
precedence. They replace all earlier constraints of the model.`,
  examples: ['set-model-constraints cores=8 mem=16G'],
  seeAlso: ['model-constraints', 'constraints', 'set-constraints'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const requestedConstraints = readConstraints(args);
    const { connection } = await context.openModel(model);
    const constraints = await checkedConstraints(context.operator(), connection, requestedConstraints);
    await call(connection, 'ModelConfig', 'SetModelConstraints', { application: '', constraints });
  },
});
