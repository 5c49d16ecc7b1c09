import { command, findIn, globalFlags, type Command, type Registry } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import type { Flag } from '../flags.ts';

const program = 'grigri';

const basics = `grigri deploys applications on machines, relates them and looks after them: Juju's commands, models and
charms.

Starter commands:

    bootstrap           Initializes a cloud environment.
    add-model           Adds a workload model.
    deploy              Deploys a new application or bundle.
    integrate           Integrate two applications.
    pending             Lists the applications that wait for required relations.
    expose              Makes an application publicly available over the network.
    status              Report the status of the model, its machines, applications and units.
    models              Lists models a user can access on a controller.
    controllers         Lists all controllers.
    add-unit            Adds one or more units to a deployed application.
    config              Get, set, or reset configuration for a deployed application.
    ssh                 Initiates an SSH session or executes a command on a machine.
    debug-log           Displays log messages for a model.
    destroy-model       Terminate all machines and resources for a model.

See "${program} help commands" for all of them, and "${program} help <command>" for one.
`;

/** Makes the command that shows help on the commands of `registry`. */
export const helpOn = (registry: Registry): Command =>
  command({
    name: 'help',
    summary: 'Show help on a command or other topic.',
    usage: '[topic]',
    details: 'Topics are basics, commands, and the name of each command.',
    examples: ['help', 'help commands', 'help deploy'],
    async run(context, _flags, args) {
      const [topic, ...moreArgs] = args;
      noMoreArgs(moreArgs);
      if (!topic || topic === 'basics' || topic === 'topics') return context.write(basics);
      if (topic === 'commands') return context.write(await commandList(registry));
      const match = findIn(registry, topic);
      if (!match || match.entry.hidden) throw new UsageError(`unknown command or topic for ${topic}`);
      await context.write(helpText(await match.entry.load(), match.entry.aliases ?? []));
    },
  });

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
    `Usage: ${program} ${command.name}${Object.keys(command.flags).length > 0 ? ' [options]' : ''}${command.usage ? ` ${command.usage}` : ''}`,
    `Summary:\n${command.summary}`,
    `Global Options:\n${optionList(globalFlags)}`,
    ...(Object.keys(command.flags).length > 0 ? [`Command Options:\n${optionList(command.flags)}`] : []),
    ...(command.details ? [`Details:\n${command.details}`] : []),
    ...(command.examples.length > 0
      ? [`Examples:\n${command.examples.map((e) => `    ${program} ${e}`).join('\n')}`]
      : []),
    ...(command.seeAlso ? [`See also:\n${command.seeAlso.map((name) => `    ${name}`).join('\n')}`] : []),
    ...(aliases.length > 0 ? [`Aliases: ${aliases.join(', ')}`] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function optionList(flags: Readonly<Record<string, Flag<unknown>>>): string {
  return Object.values(flags)
    .map((flag) => {
      const names = flag.names.map((name) => (name.length === 1 ? `-${name}` : `--${name}`));
      const shown =
        flag.takesValue && !/^\d/.test(flag.shownDefault) ? flag.shownDefault || '""' : flag.shownDefault;
      return { sort: flag.names.join(), text: `${names.join(', ')} (= ${shown})\n    ${flag.description}` };
    })
    .sort((a, b) => (a.sort < b.sort ? -1 : 1))
    .map(({ text }) => text)
    .join('\n');
}
