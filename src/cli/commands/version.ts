import { command, formatFlags } from '../command.ts';
import { bool } from '../flags.ts';
import { noMoreArgs } from '../errors.ts';
import { versionInfo } from '../version.ts';

export const version = command({
  name: 'version',
  summary: 'Print the grigri CLI version.',
  details: `The version is that of the Juju release whose command line and API grigri implements; --all also shows the
version of grigri itself.`,
  examples: ['version', 'version --all --format json'],
  flags: { all: bool('--all', 'Prints all version information'), ...formatFlags('smart', 'json', 'yaml') },
  async run(context, { all, format }, args) {
    noMoreArgs(args);
    const info = versionInfo();
    if (format === 'smart' && !all) return context.write(`${info.version}\n`);
    const { render } = await import('../format/render.ts');
    await context.write(render(format === 'json' ? 'json' : 'yaml', all ? info : info.version));
  },
});
