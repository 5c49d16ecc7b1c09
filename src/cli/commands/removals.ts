import { age } from '../../core/explain/age.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';

export const removals = command({
  name: 'removals',
  summary: 'Lists forced removals and dead entities that are not released yet.',
  details: `Entities whose removal was forced stay on this list until they are removed completely: what their agents
have not removed at the deadline is cleared without them. Dead machines stay on it until the provider has released
their instances. The controller processes the list without further commands.`,
  examples: ['removals', 'removals --format json'],
  seeAlso: ['explain', 'remove-machine', 'remove-unit'],
  flags: { ...modelFlags, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, { model, format }, args) {
    noMoreArgs(args);
    const { connection, model: name } = await context.openModel(model);
    const answer = await call(connection, 'Lives', 'Removals', {});
    if (format === 'tabular' && answer.total === 0) {
      context.info(`Model "${name}" has no pending removals.`);
      return;
    }
    await context.write(render(format, answer, { tabular: () => table(answer) }));
    const cut = answer.total - answer.removals.length;
    if (cut > 0 && format === 'tabular') context.info(`… and ${cut} more`);
  },
});

function table({ now, removals: list }: ResultOf<'Lives', 'Removals'>): string {
  const rows = list.map(({ name, life, since, force, 'waits-for': waitsFor }) => [
    name,
    life,
    since === undefined ? '' : age(since, now),
    force ? `${force.deadline.slice(0, 19)}Z` : '',
    force ? force.by.replace(/^user-/, '') : '',
    waitsFor,
  ]);
  return formatSections([
    { rows: [['Entity', 'Life', 'For', 'Cleared at', 'Asked by', 'Waits for'], ...rows] },
  ]);
}
