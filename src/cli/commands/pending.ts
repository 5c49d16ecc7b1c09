import { age } from '../../core/explain/age.ts';
import { missingStatus } from '../../core/requirements/requirement.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';

export const pending = command({
  name: 'pending',
  summary: 'Lists the applications that wait for relations or for others, and what they wait for.',
  details: `An application is pending while one of its required endpoints has no relation with an application that is
deployed itself. Its units have no machine yet; they are deployed as soon as no required relation is missing. Units that
were deployed before a relation was removed keep running: they are shown as running, and only new units wait.

"blocked" needs an action: "missing relation: db (mysql)" means that the endpoint db, with the interface mysql, needs a
relation. "waiting" needs none: "waiting for application: mysql (db)" means that the relation exists, with mysql, which
is pending itself. "waiting for mysql to be active" is a gate (deploy --after): it opens when all units of mysql have been
active and idle once.`,
  examples: ['pending', 'pending --format json'],
  seeAlso: ['integrate', 'deploy', 'set-after', 'explain', 'wait-for'],
  flags: { ...modelFlags, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, { model, format }, args) {
    noMoreArgs(args);
    const session = await context.openModel(model);
    const answer = await call(session.connection, 'Requirements', 'Pending', {});
    if (format === 'tabular' && answer.total === 0) {
      context.info(`Model "${session.model}" has no pending applications.`);
      return;
    }
    await context.write(render(format, answer, { tabular: () => table(answer) }));
    const cut = answer.total - answer.applications.length;
    if (cut > 0 && format === 'tabular') context.info(`… and ${cut.toLocaleString('en')} more`);
  },
});

function table({ now, applications }: ResultOf<'Requirements', 'Pending'>): string {
  const rows = applications.map(({ application, since, missing, units, running }) => {
    const { status, message } = missingStatus(missing);
    const counts = running > 0 ? `${units} (${running} running)` : String(units);
    return [application, age(since, now), counts, status, message];
  });
  return formatSections([{ rows: [['App', 'For', 'Units', 'Status', 'Message'], ...rows], right: [] }]);
}
