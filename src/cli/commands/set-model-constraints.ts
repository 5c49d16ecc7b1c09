import { parseConstraints } from '../../core/constraints.ts';
import { call } from '../calls.ts';
import { command, modelFlags } from '../command.ts';
import { constraintsToWire } from '../constraints-wire.ts';

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
    const constraints = constraintsToWire(parseConstraints(args.join(' ')));
    const { connection } = await context.openModel(model);
    await call(connection, 'ModelConfig', 'SetModelConstraints', { application: '', constraints });
  },
});
