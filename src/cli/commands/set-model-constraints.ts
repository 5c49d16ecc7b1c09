import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { checkedConstraints } from '../../operate/constraints.ts';
import { readConstraints } from '../constraints.ts';

export const setModelConstraints = command({
  name: 'set-model-constraints',
  summary: 'Sets machine constraints on a model.',
  usage: '<constraint>=<value> ...',
  details: `They apply to all new machines of the model, together with the constraints of their application, which
win. They replace all that were set before.`,
  examples: ['set-model-constraints cores=8 mem=16G'],
  seeAlso: ['model-constraints', 'constraints', 'set-constraints'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const asked = readConstraints(args);
    const { connection } = await context.openModel(model);
    const constraints = await checkedConstraints(context.operator(), connection, asked);
    await call(connection, 'ModelConfig', 'SetModelConstraints', { application: '', constraints });
  },
});
