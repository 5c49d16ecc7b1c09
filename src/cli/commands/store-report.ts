import type { StoreReported } from '../../wire/facades/store-report.ts';
import { call } from '../../client/calls.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { text } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';

export const storeReport = command({
  name: 'store-report',
  summary: "Says what takes the space of a controller's store.",
  details: `Lists the sizes of documents by model and kind, with their history, the largest documents, charms' archives
and logs. With --data-dir it reads the files of a controller on this host that does not run.`,
  examples: ['store-report', 'store-report --data-dir /var/lib/grigri/main --format json'],
  seeAlso: ['store-repair'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    dataDir: text('--data-dir', 'Data directory of a controller that does not run', { completes: 'file' }),
  },
  async run(context, { controller, format, dataDir }, args) {
    noMoreArgs(args);
    const report = dataDir
      ? await (await import('../local-controller.ts')).reportStore(context.io, dataDir)
      : await call((await context.openController(controller)).connection, 'StoreReport', 'Report', {});
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
        ['database', bytes(database.bytes)],
        ['  documents', bytes(live)],
        ['  history', bytes(history)],
        ['  free', bytes(database.free)],
        [`charms' archives and others (${blobs.count})`, bytes(blobs.bytes)],
        ['logs', bytes(logs.reduce((sum, log) => sum + log.bytes, 0))],
      ],
    },
    {
      rows: [
        ['Model', 'Kind', 'Documents', 'Size', 'Changes', 'History'],
        ...kinds.map((one) => [
          modelName(one.model),
          one.kind,
          String(one.count),
          bytes(one.live),
          String(one.changes),
          bytes(one.history),
        ]),
      ],
    },
    {
      rows: [
        ['Model', 'Largest document', 'Size', 'History'],
        ...documents.map((one) => [
          modelName(one.model),
          `${one.kind} ${one.id}`,
          bytes(one.live),
          bytes(one.history),
        ]),
      ],
    },
    {
      rows:
        logs.length === 0
          ? []
          : [['Model', 'Log'], ...logs.map((log) => [modelName(log.model), bytes(log.bytes)])],
    },
  ]);
}

function modelName(model: string): string {
  return model === '' ? '(controller)' : model;
}

function bytes(size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let n = size;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit++;
  }
  return `${unit === 0 ? n : n.toFixed(1)} ${units[unit]}`;
}
