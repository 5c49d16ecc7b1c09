import { call, type ResultOf } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { commandSetsHelp, setOfBlock } from '../command-sets.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';

export const disabledCommands = command({
  name: 'disabled-commands',
  summary: 'List disabled commands.',
  details: `Lists the sets of commands that are disabled in the model, or with --all in all models of the controller.

${commandSetsHelp}`,
  examples: ['disabled-commands', 'disabled-commands --all'],
  seeAlso: ['disable-command', 'enable-command'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    all: bool('--all', 'Lists for all models (administrative users only)'),
  },
  async run(context, { model, format, all }, args) {
    noMoreArgs(args);
    if (all) {
      const { connection } = await context.openController(model.includes(':') ? model.split(':')[0] : '');
      const shown = (await call(connection, 'Controller', 'ListBlockedModels', {})).models.map(shownModel);
      return context.write(render(format, shown, { tabular: () => modelTable(shown) }));
    }
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Block', 'List', {});
    const shown = results.map(({ result: { type, message } }) => ({
      'command-set': setOfBlock(type),
      ...defined({ message: message || undefined }),
    }));
    await context.write(render(format, shown, { tabular: () => blockTable(shown) }));
  },
});

type Model = ResultOf<'Controller', 'ListBlockedModels'>['models'][number];

function shownModel(model: Model) {
  return {
    name: model.name,
    'model-uuid': model['model-uuid'],
    owner: model['owner-tag'].replace(/^user-/, ''),
    'disabled-commands': model.blocks.map(setOfBlock),
  };
}

const none = 'No commands are currently disabled.\n';

function blockTable(
  blocks: readonly { readonly 'command-set': string; readonly message?: string }[],
): string {
  if (blocks.length === 0) return none;
  const rows = blocks.map((one) => [one['command-set'], one.message ?? '']);
  return formatSections([{ rows: [['Disabled commands', 'Message'], ...rows] }]);
}

function modelTable(models: readonly ReturnType<typeof shownModel>[]): string {
  if (models.length === 0) return none;
  const rows = models.map((one) => [
    one.name,
    one['model-uuid'],
    one.owner,
    one['disabled-commands'].join(', '),
  ]);
  return formatSections([{ rows: [['Name', 'Model UUID', 'Owner', 'Disabled commands'], ...rows] }]);
}
