import { parseConstraints } from '../../core/constraints.ts';
import { call, only } from '../../client/calls.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { commas, int, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { constraintsToWire } from '../../operate/constraints.ts';
import { parseTagOf } from '../../wire/tags.ts';

const changes = ['maintained', 'added', 'removed', 'converted'] as const;
const words = { maintained: 'maintaining', added: 'adding', removed: 'removing', converted: 'converting' };

export const enableHa = command({
  name: 'enable-ha',
  summary: 'Ensure that sufficient controllers exist to provide redundancy.',
  details: `A controller of grigri is one machine: its state is on one disk. So only one controller can be asked for,
and more are refused.`,
  examples: ['enable-ha', 'enable-ha -n 1'],
  seeAlso: ['create-backup', 'show-controller'],
  flags: {
    ...controllerFlags,
    ...formatFlags('simple', 'json', 'yaml'),
    number: int('-n', 'Number of controllers to make available', 0),
    constraints: text('--constraints', 'Additional machine constraints'),
    to: commas('--to', 'The machine(s) to become controllers, bypasses constraints'),
  },
  async run(context, { controller, format, number, constraints, to }, args) {
    noMoreArgs(args);
    if (number < 0 || (number !== 0 && number % 2 === 0))
      throw new UsageError('must specify a number of controllers odd and non-negative');
    const { connection } = await context.openController(controller);
    const { results } = await call(connection, 'HighAvailability', 'EnableHA', {
      specs: [
        {
          'num-controllers': number,
          constraints: constraintsToWire(parseConstraints(constraints)),
          placement: [...to],
        },
      ],
    });
    const { result } = only(results);
    const shown = Object.fromEntries(
      changes.flatMap((change) => {
        const ids = (result[change] ?? []).map((tag) => parseTagOf('machine', tag));
        return ids.length > 0 ? [[change, ids] as const] : [];
      }),
    );
    await context.write(
      render(format, shown, {
        simple: () =>
          changes
            .flatMap((change) =>
              shown[change] ? [`${words[change]} machines: ${shown[change].join(', ')}\n`] : [],
            )
            .join(''),
      }),
    );
  },
});
