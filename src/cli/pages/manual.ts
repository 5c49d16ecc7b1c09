/** Manual pages, made of what the commands declare. */
import { withDashes } from '../../kit/gnuflag.ts';
import { globalFlags, type Command } from '../command.ts';
import type { Flag } from '../flags.ts';
import { topics, variables } from '../help-topics.ts';
import { ownName } from '../program.ts';

/** Formats the page of one command: `grigri-deploy(1)`. */
export function commandPage(command: Command, aliases: readonly string[]): string {
  const { name, summary, usage, details, examples, seeAlso } = command;
  const hasFlags = Object.keys(command.flags).length > 0;
  return page(`grigri-${name}`, [
    section('NAME', `grigri\\-${text(name)} \\- ${text(summary.replace(/\.$/, ''))}`),
    section(
      'SYNOPSIS',
      `\\fBgrigri ${text(name)}\\fR${hasFlags ? ' [options]' : ''}${usage ? ` ${text(usage)}` : ''}`,
    ),
    ...(details ? [section('DESCRIPTION', prose(details))] : []),
    ...(hasFlags ? [section('OPTIONS', options(command.flags))] : []),
    section('GLOBAL OPTIONS', options(globalFlags)),
    ...(examples.length > 0
      ? [section('EXAMPLES', verbatim(examples.map((one) => `grigri ${one}`).join('\n')))]
      : []),
    ...(aliases.length > 0 ? [section('ALIASES', text(aliases.join(', ')))] : []),
    section('EXIT STATUS', exitStatus),
    section(
      'SEE ALSO',
      [...(seeAlso ?? []).map((other) => `grigri-${other}`), 'grigri'].map(reference).join(',\n'),
    ),
  ]);
}

/** Formats the page of the whole program: `grigri(1)`. */
export function programPage(commands: readonly Command[]): string {
  return page('grigri', [
    section('NAME', 'grigri \\- deploys applications on machines, relates them and looks after them'),
    section('SYNOPSIS', '\\fBgrigri\\fR [global options] <command> [options] [arguments]'),
    section('DESCRIPTION', prose(topics['basics']!.text({ env: {}, program: ownName }))),
    section('GLOBAL OPTIONS', options(globalFlags)),
    section('COMMANDS', commands.map(({ name, summary }) => item(name, summary)).join('\n')),
    section('PLUGINS', prose('A program grigri-NAME in a directory of $PATH is the command NAME.')),
    section(
      'ENVIRONMENT',
      Object.entries(variables)
        .map(([name, meaning]) => item(name, meaning))
        .join('\n'),
    ),
    section(
      'FILES',
      item('~/.local/share/juju', 'Controllers, models, accounts, credentials and clouds, as Juju has them.'),
    ),
    section('EXIT STATUS', exitStatus),
    section('SEE ALSO', commands.map(({ name }) => reference(`grigri-${name}`)).join(',\n')),
  ]);
}

const exitStatus = '0 done, 1 failed, 2 wrong usage, 130 ended by an interrupt.';

function page(name: string, sections: readonly string[]): string {
  return `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" grigri "User commands"\n.nh\n.ad l\n${sections.join('\n')}\n`;
}

function section(title: string, body: string): string {
  return `.SH ${title}\n${body}`;
}

function options(flags: Readonly<Record<string, Flag<unknown>>>): string {
  return Object.values(flags)
    .toSorted((a, b) => (a.names.join() < b.names.join() ? -1 : 1))
    .map((flag) => {
      const names = flag.names.map(withDashes).join(', ');
      const shown =
        flag.takesValue || flag.shownDefault !== 'false' ? ` (= ${flag.shownDefault || '""'})` : '';
      return item(`${names}${shown}`, flag.description);
    })
    .join('\n');
}

function item(term: string, description: string): string {
  return `.TP\n\\fB${text(term)}\\fR\n${text(description)}`;
}

function reference(name: string): string {
  return `\\fB${text(name)}\\fR(1)`;
}

/** Formats paragraphs; indented ones stay as they are. */
function prose(words: string): string {
  const paragraphs = words.trim().split(/\n\n/);
  return paragraphs
    .map((one) => (one.split('\n').every((line) => line.startsWith('    ')) ? verbatim(one) : text(one)))
    .join('\n.PP\n');
}

function verbatim(lines: string): string {
  return `.nf\n.RS 4\n${text(lines.replaceAll(/^ {4}/gm, ''))}\n.RE\n.fi`;
}

/** Escapes text, so that nothing in it is a request or an escape of the formatter. */
function text(words: string): string {
  return (
    words
      .replaceAll('\\', '\\e')
      .replaceAll('-', '\\-')
      .replaceAll("'", '\\(aq')
      .replaceAll('`', '\\(ga')
      .replaceAll('^', '\\(ha')
      .replaceAll('~', '\\(ti')
      // A line may end after each alternative.
      .replaceAll('|', '|\\:')
      .replaceAll('…', '...')
      .replaceAll('’', '\\(aq')
      .replaceAll(/^\./gm, '\\&.')
      .replaceAll(/^ +$/gm, '')
  );
}
