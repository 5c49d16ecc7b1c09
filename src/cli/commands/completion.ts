import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { ownName } from '../program.ts';
import { completionScripts } from '../pages/completion-scripts.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export const completion = command({
  name: 'completion',
  summary: 'Prints a script that completes command lines in a shell.',
  usage: '<bash|zsh|fish>',
  details: `Commands, flags, applications, units, machines, models and controllers are completed. The script completes the name by
which the program was called: that of grigri, or of a link to it.`,
  examples: [
    'completion bash > /etc/bash_completion.d/grigri',
    'completion zsh > /usr/local/share/zsh/site-functions/_grigri',
    'completion fish > ~/.config/fish/completions/grigri.fish',
  ],
  completes: [shells],
  async run(context, _flags, args) {
    const { program } = context.io;
    const [word, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    const shell = shells.find((one) => one === word);
    if (!shell) throw new UsageError(`the shell must be one of ${shells.join(', ')}`);
    await context.write(completionScripts[shell].replaceAll(ownName, program));
  },
});
