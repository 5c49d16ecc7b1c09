import { access } from 'node:fs/promises';
import { cloudFiles, type Providers } from '../clouds/client-clouds.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { writePrivate } from '../files/write-private.ts';
import { bool } from '../flags.ts';

export const init = command({
  name: 'init',
  summary: 'Writes a clouds.yaml that describes clouds of every type.',
  details: `The file has each type's settings with their defaults, as comments: take away the # of what you need. It is
written where there is none yet; -f replaces the one that is there. --show prints it.`,
  examples: ['init', 'init --show', 'init -f'],
  seeAlso: ['add-cloud', 'clouds'],
  flags: {
    force: bool('-f, --force', 'Replace a clouds.yaml that is there'),
    show: bool('--show', 'Print it instead'),
  },
  async run(context, flags, args) {
    noMoreArgs(args);
    const content = boilerplate(await context.io.providers());
    if (flags.show) return context.write(content);
    const { cloudsPath: path } = await cloudFiles(context);
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists && !flags.force) throw new Error(`${path} exists already; grigri init -f replaces it`);
    await writePrivate(path, content);
    context.info(`Wrote ${path}`);
  },
});

/** Returns every provider's settings as comments, so that no cloud is defined before the user edits them. */
function boilerplate(providers: Providers): string {
  const parts = [...providers.values()]
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map((provider) => commented(provider.boilerplate()))
    .filter((part) => part !== '');
  return `# Clouds that grigri and Juju can use beside the built-in ones: see 'grigri clouds' and 'grigri help add-cloud'.\n#\n# clouds:\n#\n${parts.join('#\n')}`;
}

const commented = (text: string): string =>
  text
    .replace(/^clouds:\n/m, '')
    .split('\n')
    .filter((line, i, all) => line !== '' || i < all.length - 1)
    .map((line) => (line === '' ? '#' : `# ${line}`) + '\n')
    .join('');
