import { call, only } from '../../client/calls.ts';
import { modelTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { render } from '../format/render.ts';
import { resolveModel } from '../../operate/sessions.ts';

export const dumpDb = command({
  name: 'dump-db',
  summary: 'Displays the documents that are stored for the model.',
  usage: '[<model name>]',
  details: `Prints the documents of a model by the names of Juju's collections, without secrets, for programs. dump-model prints
the same documents as the controller has them.`,
  examples: ['dump-db', 'dump-db mymodel --format json'],
  seeAlso: ['dump-model', 'models'],
  completes: ['model'],
  flags: { ...modelFlags, ...formatFlags('yaml', 'json') },
  async run(context, { model, format }, args) {
    noMoreArgs(args.slice(1));
    const target = await resolveModel(context.client, args[0] ?? model);
    const { connection } = await context.openController(target.controller);
    const { results } = await call(connection, 'ModelManager', 'DumpModelsDB', {
      entities: [{ tag: modelTag(target.uuid) }],
    });
    await context.write(render(format, only(results).result));
  },
});
