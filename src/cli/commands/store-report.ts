import type { StoreReported } from '../../wire/facades/store-report.ts';
import { call } from '../../client/calls.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { text } from '../flags.ts';
import { formatBytes } from '../format/bytes.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';

export const storeReport = command({
  name: 'store-report',
  summary: "Reports what takes up space in a controller's store.",
  details: `Lists the sizes of documents by model and kind, with their history, the largest documents, charm archives
and logs. With --data-dir, it reads the files of a stopped controller on this host.`,
  examples: ['store-report', 'store-report --data-dir /var/lib/grigri/main --format json'],
  seeAlso: ['store-repair'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    dataDir: text('--data-dir', 'Data directory of a controller that does not run', { completes: 'file' }),
  },
  async run(context, { controller, format, dataDir }, args) {
    noMoreArgs(args);
    const reading = dataDir
      ? (await import('../local-controller.ts')).reportStore(context.io, dataDir)
      : call((await context.openController(controller)).connection, 'StoreReport', 'Report', {});
    const report = await context.progress('Reading the store', reading);
    await context.write(render(format, report, { tabular: () => tables(report) }));
  },
});

function tables({ problem, database, kinds, documents, blobs, logs }: StoreReported): string {
  const history = kinds.reduce((sum, kind) => sum + kind.history, 0);
  const live = kinds.reduce((sum, kind) => sum + kind.live, 0);
  return formatSections([
    ...(problem === undefined ? [] : [{ rows: [[`read-only: ${problem}`]] }]),
    {
      rows: [
        ['Store', 'Size'],
        ['database', formatBytes(database.bytes)],
        ['  documents', formatBytes(live)],
        ['  history', formatBytes(history)],
        ['  free', formatBytes(database.free)],
        [`charm archives and other blobs (${blobs.count})`, formatBytes(blobs.bytes)],
        ['logs', formatBytes(logs.reduce((sum, log) => sum + log.bytes, 0))],
      ],
    },
    {
      rows: [
        ['Model', 'Kind', 'Documents', 'Size', 'Changes', 'History'],
        ...kinds.map((total) => [
          modelName(total.model),
          total.kind,
          String(total.count),
          formatBytes(total.live),
          String(total.changes),
          formatBytes(total.history),
        ]),
      ],
    },
    {
      rows: [
        ['Model', 'Largest document', 'Size', 'History'],
        ...documents.map((document) => [
          modelName(document.model),
          `${document.kind} ${document.id}`,
          formatBytes(document.live),
          formatBytes(document.history),
        ]),
      ],
    },
    {
      rows:
        logs.length === 0
          ? []
          : [['Model', 'Log'], ...logs.map((log) => [modelName(log.model), formatBytes(log.bytes)])],
    },
  ]);
}

function modelName(model: string): string {
  return model === '' ? '(controller)' : model;
}
