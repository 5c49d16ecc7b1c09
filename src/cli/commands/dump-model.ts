import { limits } from '../../core/limits.ts';
import { call, only } from '../../client/calls.ts';
import { modelTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { readYaml } from '../../kit/yaml/read.ts';

/** Maximum size of a dump: an answer has no room for more. */
const size = { bytes: limits.message, marks: limits.bundleMarks };

export const dumpModel = command({
  name: 'dump-model',
  summary: 'Displays the database agnostic representation of the model.',
  usage: '[<model name>]',
  details: `Prints all that the controller knows of a model, kind by kind: what a report of a problem needs. Passwords,
credentials, contents of secrets and what charms keep for themselves are not in it; configuration and relation data are.
--simplified leaves out what changes by itself, so that two dumps can be compared.`,
  examples: ['dump-model', 'dump-model mymodel', 'dump-model --simplified --format json'],
  seeAlso: ['dump-db', 'export-bundle', 'models'],
  completes: ['model'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json'),
    simplified: bool('--simplified', 'Dump a simplified partial model'),
  },
  async run(context, { model, format, simplified }, args) {
    noMoreArgs(args.slice(1));
    const target = await resolveModel(context.client, args[0] ?? model);
    const { connection } = await context.openController(target.controller);
    const { results } = await call(connection, 'ModelManager', 'DumpModels', {
      entities: [{ tag: modelTag(target.uuid) }],
      simplified,
    });
    const { result } = only(results);
    await context.write(format === 'json' ? `${JSON.stringify(readYaml(result, { size })[0])}\n` : result);
  },
});
