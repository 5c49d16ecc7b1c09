import { call } from '../../client/calls.ts';
import { formatDuration, parseDuration } from '../../core/duration.ts';
import { eventForms, parseEvents } from '../../core/forecast/events.ts';
import type { ForecastFile } from '../../core/forecast/file.ts';
import { command, formatFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { int, text } from '../flags.ts';
import { readForecastFile, planFlags } from '../model-file.ts';
import { formatForecast } from '../format/forecast.ts';
import { render } from '../format/render.ts';

export const whatIf = command({
  name: 'what-if',
  summary: 'Shows what would become of a model if something happened.',
  usage: '[[<time>: ]<event> ...]',
  details: `Plays a copy of the model on a virtual clock: the controller's own code, with simulated machines, charms and cloud. It
shows what would happen and when, and what would be stuck at the end, with what "explain" says of it. Nothing is changed,
and read access to the model is enough. Without an event it shows what becomes of the model as it is.

Each event is one argument, with the time since the beginning at which it happens:

${eventForms.map((form) => `    [<time>: ]${form}`).join('\n')}

A model file is applied as "apply" would, and --overlay, --var, --prune and the other flags that apply has are those of each
such event. Its secrets, access, offers and annotations are not part of a forecast.

Hooks and machines' starts take the time that the model's history shows; hooks succeed, unless they fail now or an event says
so. docs/what-if.md says what else is assumed.`,
  examples: [
    'what-if "machine 3 is lost"',
    'what-if "zone b fails" "20m: zone b recovers" --for 2h',
    'what-if "5m: cloud says quota" "10m: add-unit web 5"',
    'what-if "apply model.yaml" --overlay production.yaml --prune',
    'what-if "unit web/0 fails config-changed" --format json',
  ],
  seeAlso: ['explain', 'plan', 'apply', 'history'],
  flags: {
    ...planFlags,
    ...formatFlags('text', 'json', 'yaml'),
    horizon: text('--for', 'Time to play: a duration, up to 24h', { default: '1h' }),
    seed: int('--seed', 'Chance of the forecast: another number is another course of events', 1),
  },
  async run(context, flags, args) {
    const { model, format, horizon, seed } = flags;
    if (seed < 0) throw new UsageError('--seed must not be negative');
    const horizonMs = durationOf(horizon);
    const names = new Set(
      parseEvents(args, horizonMs).flatMap(({ what }) => (what.kind === 'apply' ? [what.file] : [])),
    );
    const { connection } = await context.openModel(model);
    const files: ForecastFile[] = [];
    for (const name of names) files.push(await readForecastFile(context, flags, { name, connection }));
    const params = { events: [...args], horizon: horizonMs / 1000, seed, ...(names.size > 0 && { files }) };
    const forecast = await context.progress(
      `Playing ${formatDuration(horizonMs)} of the model`,
      call(connection, 'Forecasts', 'Make', params, { signal: context.io.signal }),
    );
    await context.write(render(format, forecast, { text: () => formatForecast(forecast) }));
  },
});

function durationOf(given: string): number {
  const ms = parseDuration(given);
  if (!(ms > 0)) throw new UsageError(`--for ${given}: expected a duration above 0`);
  return ms;
}
