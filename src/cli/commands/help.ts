import { withDashes } from '../../kit/gnuflag.ts';
import type { CommandContext } from '../context.ts';
import { topics } from '../help-topics.ts';
import { findPlugin, runPlugin } from '../plugins.ts';
import { refusalOf } from '../refused.ts';
import { command, findIn, globalFlags, type Command, type Registry } from '../command.ts';
import { asCalled, ownName } from '../program.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import type { Flag } from '../flags.ts';

/** Makes the command that shows help on the commands of `registry`. */
export const helpOn = (registry: Registry): Command =>
  command({
    name: 'help',
    summary: 'Show help on a command or other topic.',
    usage: '[topic]',
    details: `Topics are the name of each command and plugin, and: ${Object.keys(topics).join(', ')}.`,
    examples: ['help', 'help commands', 'help deploy', 'help topics'],
    async run(context, _flags, args) {
      const [word = 'basics', subcommand, ...moreArgs] = args;
      noMoreArgs(moreArgs);
      if (word === 'commands') return context.write(await commandList(registry));
      const show = (text: string): Promise<void> =>
        context.write(asCalled(registry, context.io.program, text));
      const topic = Object.hasOwn(topics, word) ? topics[word] : undefined;
      if (topic && subcommand === undefined) return show(topic.text(context.io));
      const match = findIn(registry, word);
      if (!match || match.entry.hidden) return helpOnOther(context, word);
      const command_ = await match.entry.load();
      // `help wait-for unit`: the first argument of some commands says what they do.
      if (subcommand !== undefined && !command_.completes?.[0]?.includes(subcommand))
        noMoreArgs([subcommand]);
      await show(helpText(command_, match.entry.aliases ?? []));
    },
  });

/** Prints help on a topic that is no command of the registry. Errors: UsageError. */
async function helpOnOther({ io }: CommandContext, word: string): Promise<number> {
  const plugin = findPlugin(io, word);
  if (plugin !== undefined) return runPlugin(io, plugin, ['--help']);
  const reason = refusalOf(word);
  if (reason !== undefined) throw new Error(`grigri does not have Juju's command "${word}": ${reason}`);
  throw new UsageError(`unknown command or topic for ${word}`);
}

async function commandList(registry: Registry): Promise<string> {
  const entries = Object.entries(registry).filter(([, entry]) => !entry.hidden);
  const rows = await Promise.all(
    entries.map(async ([name, entry]) => {
      const { summary } = await entry.load();
      return [
        [name, summary] as const,
        ...(entry.aliases ?? []).map((alias) => [alias, `Alias for '${name}'.`] as const),
      ];
    }),
  );
  const list = rows.flat().sort(([a], [b]) => (a < b ? -1 : 1));
  const width = Math.max(...list.map(([name]) => name.length));
  return list.map(([name, summary]) => `${name.padEnd(width)}  ${summary}\n`).join('');
}

/** Formats help in Juju's order: usage, summary, options, details, examples, see also, aliases. */
export function helpText(command: Command, aliases: readonly string[]): string {
  const parts = [
    `Usage: ${ownName} ${command.name}${Object.keys(command.flags).length > 0 ? ' [options]' : ''}${command.usage ? ` ${command.usage}` : ''}`,
    `Summary:\n${command.summary}`,
    `Global Options:\n${optionList(globalFlags)}`,
    ...(Object.keys(command.flags).length > 0 ? [`Command Options:\n${optionList(command.flags)}`] : []),
    ...(command.details ? [`Details:\n${command.details}`] : []),
    ...(command.examples.length > 0
      ? [`Examples:\n${command.examples.map((e) => `    ${ownName} ${e}`).join('\n')}`]
      : []),
    ...(command.seeAlso ? [`See also:\n${command.seeAlso.map((name) => `    ${name}`).join('\n')}`] : []),
    ...(aliases.length > 0 ? [`Aliases: ${aliases.join(', ')}`] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function optionList(flags: Readonly<Record<string, Flag<unknown>>>): string {
  return Object.values(flags)
    .map((flag) => {
      const names = flag.names.map(withDashes);
      const shown =
        flag.takesValue && !/^\d/.test(flag.shownDefault) ? flag.shownDefault || '""' : flag.shownDefault;
      return { sort: flag.names.join(), text: `${names.join(', ')} (= ${shown})\n    ${flag.description}` };
    })
    .sort((a, b) => (a.sort < b.sort ? -1 : 1))
    .map(({ text }) => text)
    .join('\n');
}
