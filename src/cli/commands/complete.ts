import { call } from '../../client/calls.ts';
import { withDashes } from '../../kit/gnuflag.ts';
import { localPath } from '../charm/local-path.ts';
import { cloudFiles } from '../clouds/client-clouds.ts';
import { command, findIn, globalFlags, type Command, type Registry } from '../command.ts';
import { CommandContext } from '../context.ts';
import { topics } from '../help-topics.ts';
import type { Completion, Flag } from '../flags.ts';
import { defined } from '../../core/defined.ts';

/** Time limit in milliseconds for candidates, after which completion is of no use to a shell's user. */
const timeoutMs = 2000;

/** Hidden command that prints the possible completions of the last word, one per line. The words follow `--`. */
export const completeFrom = (registry: Registry): Command =>
  command({
    name: '__complete',
    summary: 'Prints candidates for the last word.',
    async run(context, _flags, args) {
      const words = args.slice(0, -1);
      const lastWord = args.at(-1) ?? '';
      const candidates = await candidatesFor(context, registry, words, lastWord);
      const matching = [...new Set(candidates)].filter((one) => one.startsWith(lastWord)).sort();
      if (matching.length > 0) await context.write(`${matching.join('\n')}\n`);
    },
  });

async function candidatesFor(
  context: CommandContext,
  registry: Registry,
  words: readonly string[],
  lastWord: string,
): Promise<readonly string[]> {
  const position = words.findIndex((word) => !word.startsWith('-'));
  const name = words[position];
  if (name === undefined) return lastWord.startsWith('-') ? flagNames(globalFlags) : commandNames(registry);
  if (name === 'help') return [...commandNames(registry), ...Object.keys(topics)];
  const match = findIn(registry, name);
  if (!match || words.includes('--')) return [];
  const command_ = await match.entry.load();
  const precedingWords = words.slice(position + 1);
  const { awaited, args, model } = scan(command_, precedingWords);
  const parsed = { args, model };
  if (awaited) return values(context, awaited.completes, parsed);
  const inline = /^--([\w-]+)=/.exec(lastWord);
  if (inline) {
    const flag = flagByName(command_, inline[1]!);
    return (await values(context, flag?.completes, parsed)).map((value) => `--${inline[1]}=${value}`);
  }
  if (lastWord.startsWith('-')) return flagNames({ ...globalFlags, ...command_.flags });
  const kinds = command_.completes ?? [];
  return values(context, kinds[Math.min(args.length, kinds.length - 1)], parsed);
}

/** Parses the complete words: the arguments, the model of -m, and a flag that lacks its value. */
function scan(
  command_: Command,
  words: readonly string[],
): { awaited?: Flag<unknown>; args: readonly string[]; model: string } {
  const args: string[] = [];
  let model = '';
  let awaited: Flag<unknown> | undefined;
  for (const word of words) {
    if (awaited) {
      if (awaited.names.includes('model')) model = word;
      awaited = undefined;
      continue;
    }
    const match = /^--?([\w-]+)(=(.*))?$/.exec(word);
    if (!match || word === '-') {
      args.push(word);
      continue;
    }
    const flag = flagByName(command_, match[1]!);
    if (flag?.takesValue && match[2] === undefined) awaited = flag;
    else if (flag?.names.includes('model')) model = match[3] ?? '';
  }
  return { ...defined({ awaited }), args, model };
}

function flagByName(command_: Command, name: string): Flag<unknown> | undefined {
  return Object.values({ ...globalFlags, ...command_.flags }).find((flag) => flag.names.includes(name));
}

function flagNames(flags: Readonly<Record<string, Flag<unknown>>>): string[] {
  return Object.values(flags).flatMap((flag) => flag.names.map(withDashes));
}

function commandNames(registry: Registry): string[] {
  return Object.entries(registry).flatMap(([name, entry]) =>
    entry.hidden ? [] : [name, ...(entry.aliases ?? [])],
  );
}

/** Returns the candidates of a kind. Completion of files is left to the shell. */
async function values(
  context: CommandContext,
  kind: Completion | undefined,
  { args, model }: { readonly args: readonly string[]; readonly model: string },
): Promise<readonly string[]> {
  if (kind === undefined || kind === 'file') return [];
  if (typeof kind !== 'string') return kind;
  const store = await context.store();
  const controllers = Object.keys(await store.controllers());
  if (kind === 'controller') return controllers;
  if (kind === 'model') return modelNames(context, controllers);
  if (kind === 'cloud') return cloudNames(context);
  try {
    if (kind === 'user') return await userNames(context);
    return await (kind === 'requires' ? requiresOf(context, args[0]) : fromStatus(context, kind, model));
  } catch {
    return []; // errors of the controller or charm mean no candidates, because they would clutter the prompt
  }
}

/** Returns the names of clouds, without detection of those on this computer. */
async function cloudNames(context: CommandContext): Promise<string[]> {
  const builtIn = [...(await context.io.providers()).values()].flatMap(({ builtinCloud }) =>
    builtinCloud ? [builtinCloud.name, ...(builtinCloud.aliases ?? [])] : [],
  );
  return [...builtIn, ...(await (await cloudFiles(context)).clouds()).keys()];
}

/** Returns the endpoints that a local charm could require. */
async function requiresOf(context: CommandContext, charm: string | undefined): Promise<string[]> {
  if (charm === undefined) return [];
  const { readCharm } = await import('../../operate/files/read-charm.ts');
  const { meta } = (await readCharm(await localPath(context, charm))).charm;
  return Object.values(meta.endpoints).flatMap(({ name, role }) => (role === 'requirer' ? [name] : []));
}

async function modelNames(context: CommandContext, controllers: readonly string[]): Promise<string[]> {
  const store = await context.store();
  const current = await store.currentController();
  const names = controllers.map((name) => `${name}:`);
  for (const controller of controllers) {
    const user = (await store.account(controller))?.user;
    for (const model of Object.keys(await store.models(controller))) {
      const short = user && model.startsWith(`${user}/`) ? model.slice(user.length + 1) : model;
      names.push(`${controller}:${short}`, ...(controller === current ? [short] : []));
    }
  }
  return names;
}

async function userNames(context: CommandContext): Promise<string[]> {
  await using quiet = quietContext(context);
  const { connection } = await quiet.openController();
  const { results } = await call(connection, 'UserManager', 'UserInfo', {
    entities: [],
    'include-disabled': true,
  });
  return results.flatMap(({ result }) => result?.username ?? []);
}

/** Creates a separate context for a request, which prints nothing and has a short time limit. */
function quietContext({ io }: CommandContext): CommandContext {
  const quiet = {
    ...io,
    signal: AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMs)]),
    stderr: { isTTY: false, isClosed: false, write: () => undefined, writeRaw: () => undefined },
  };
  return new CommandContext(quiet, { quiet: true, verbose: false, outputFile: '' });
}

async function fromStatus(
  context: CommandContext,
  kind: 'application' | 'unit' | 'machine',
  model: string,
): Promise<string[]> {
  await using quiet = quietContext(context);
  const { connection } = await quiet.openModel(model);
  const status = await call(
    connection,
    'Client',
    'FullStatus',
    { patterns: [], 'include-storage': false },
    { signal: quiet.io.signal },
  );
  if (kind === 'machine') return Object.keys(status.machines);
  if (kind === 'application') return Object.keys(status.applications);
  return Object.values(status.applications).flatMap((app) =>
    Object.entries(app.units ?? {}).flatMap(([name, unit]) => [
      name,
      ...Object.keys(unit.subordinates ?? {}),
    ]),
  );
}
