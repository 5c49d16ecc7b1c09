/** Tables of docs/reference/cli.md: every command of Juju's and grigri's, and how they differ. */
import { globalFlags, type Command } from '../cli/command.ts';
import { variables } from '../cli/help-topics.ts';
import { refusalOf } from '../cli/refused.ts';
import { findCommand, registry } from '../cli/registry.ts';
import { withDashes } from '../kit/gnuflag.ts';
import { code, markdownTable, withGenerated } from './generated.ts';
import { jujuCommands } from './juju-commands.ts';

/** Notes on flags that grigri lacks or has in addition. */
const notes: Readonly<Record<string, string>> = {
  'add-model': 'controllers managed by JAAS are not known',
  'remove-cloud': 'controllers managed by JAAS are not known',
  bootstrap:
    'no charm or snap runs the controller, the agents are those of this program, images are those that the cloud finds for the base, and storage for controllers is for Kubernetes',
  deploy: 'devices are for Kubernetes',
  'wait-for': 'one command, whose first argument is the kind, where Juju has four',
};

/** Returns the page with its tables made anew. Errors: when the page has no place for the tables. */
export async function withCliTables(page: string): Promise<string> {
  const tables = [
    '## Commands of Juju',
    await jujuTable(),
    "## grigri's own commands",
    await ownTable(),
    '## Variables of the environment',
    table(
      ['variable', 'what it is for'],
      Object.entries(variables).map(([name, text]) => [code(name), escaped(text)]),
    ),
  ];
  return withGenerated(page, 'cli', tables.join('\n\n'));
}

async function jujuTable(): Promise<string> {
  const rows = await Promise.all(Object.entries(jujuCommands).map(([name, juju]) => jujuRow(name, juju)));
  return table(['command', 'aliases', 'state', 'flags missing', "flags of grigri's own", 'note'], rows);
}

async function jujuRow(
  name: string,
  juju: { readonly aliases?: string; readonly flags: string },
): Promise<string[]> {
  const aliases = juju.aliases?.split(' ') ?? [];
  const match = findCommand(name);
  if (!match) return [code(name), codes(aliases), 'refused', '', '', escaped(refusalOf(name) ?? '')];
  const difference = flagDifference(await match.entry.load(), juju.flags);
  const lacking = aliases.filter((alias) => findCommand(alias)?.name !== match.name);
  const more = (match.entry.aliases ?? []).filter((alias) => !aliases.includes(alias));
  const same = difference.missing.length === 0 && difference.own.length === 0 && lacking.length === 0;
  return [
    code(name),
    codes([...aliases, ...more]),
    same ? 'same flags' : difference.missing.length > 0 ? 'fewer flags' : 'more flags',
    codes(difference.missing.map(withDashes)),
    codes(difference.own.map(withDashes)),
    [notes[name] ?? '', ...lacking.map((alias) => `no alias \`${alias}\``)].filter(Boolean).join('; '),
  ];
}

/**
 * Returns the flags that only Juju's or only grigri's command has. grigri's `-B` is left out: all commands that connect
 * to a controller accept it.
 */
export function flagDifference(
  { flags }: Pick<Command, 'flags'>,
  jujuFlags: string,
): { readonly missing: readonly string[]; readonly own: readonly string[] } {
  const juju = jujuFlags.split(/[ /]+/).filter(Boolean);
  const ours = Object.values(flags).flatMap((flag) => flag.names);
  const known = [
    ...juju,
    ...Object.values(globalFlags).flatMap(({ names }) => names),
    'B',
    'no-browser-login',
  ];
  const without = (list: readonly string[], others: readonly string[]): string[] =>
    list.filter((one) => !others.includes(one)).sort();
  return { missing: without(juju, ours), own: without(ours, known) };
}

async function ownTable(): Promise<string> {
  const own = Object.entries(registry).filter(
    ([name, entry]) => !entry.hidden && !Object.hasOwn(jujuCommands, name),
  );
  const rows = await Promise.all(
    own.map(async ([name, entry]) => {
      const { summary, flags } = await entry.load();
      const names = Object.values(flags).map((flag) => withDashes(flag.names.at(-1) ?? ''));
      return [code(name), codes(entry.aliases ?? []), escaped(summary), codes(names.sort())];
    }),
  );
  return table(['command', 'aliases', 'what it does', 'flags'], rows);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const sorted = rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return markdownTable(header, sorted);
}

function codes(texts: readonly string[]): string {
  return texts.map(code).join(' ');
}

function escaped(text: string): string {
  return text.replaceAll('<', '&lt;');
}
