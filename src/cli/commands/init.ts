import { access } from 'node:fs/promises';
import { cloudFiles, type Providers } from '../clouds/client-clouds.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { writePrivate } from '../files/write-private.ts';
import { bool } from '../flags.ts';

export const init = command({
  name: 'init',
  summary: 'Writes a clouds.yaml that describes clouds of every type.',
  details: `The file contains the settings of each cloud type with their defaults, as comments: remove the # from the
lines that you need. An existing file is replaced only with -f. --show prints the content instead.`,
  examples: ['init', 'init --show', 'init -f'],
  seeAlso: ['add-cloud', 'clouds'],
  flags: {
    force: bool('-f, --force', 'Replace an existing clouds.yaml'),
    show: bool('--show', 'Print the file instead of writing it'),
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
    if (exists && !flags.force) throw new Error(`${path} already exists; run "grigri init -f" to replace it`);
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
