import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { command, type Command, type Registry } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { completionScripts } from '../pages/completion-scripts.ts';
import { commandPage, programPage } from '../pages/manual.ts';
import { makeFolder } from '../../kit/make-folder.ts';

/** Hidden command by which the build writes manual pages and completion scripts, as they lie in a `share` folder. */
export const shareFrom = (registry: Registry): Command =>
  command({
    name: '__share',
    summary: 'Writes manual pages and completion scripts.',
    async run(context, _flags, [folder, ...moreArgs]) {
      if (!folder) throw new UsageError('no folder specified');
      noMoreArgs(moreArgs);
      const share = resolve(context.io.cwd, folder);
      const manual = join(share, 'man/man1');
      await makeFolder(manual);
      const entries = Object.entries(registry).filter(([, { hidden }]) => !hidden);
      const commands: Command[] = [];
      for (const [name, { load, aliases = [] }] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) {
        const one = await load();
        commands.push(one);
        await writeFile(join(manual, `grigri-${name}.1`), commandPage(one, aliases));
        for (const alias of aliases)
          await writeFile(join(manual, `grigri-${alias}.1`), `.so man1/grigri-${name}.1\n`);
      }
      await writeFile(join(manual, 'grigri.1'), programPage(commands));
      for (const [shell, file] of Object.entries(completionFiles)) {
        const path = join(share, file);
        await makeFolder(join(path, '..'));
        await writeFile(path, completionScripts[shell as keyof typeof completionScripts]);
      }
    },
  });

/** Paths where each shell looks for a program's completions, below the `share` beside the program's `bin`. */
const completionFiles: Readonly<Record<keyof typeof completionScripts, string>> = {
  bash: 'bash-completion/completions/grigri',
  zsh: 'zsh/site-functions/_grigri',
  fish: 'fish/vendor_completions.d/grigri.fish',
};
