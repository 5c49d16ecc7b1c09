/** What the commands that work with a model file have in common: their flags, and reading the file. */
import type { Connection } from '../client/connection.ts';
import type { ForecastFile } from '../core/forecast/file.ts';
import { localResource } from '../operate/files/local-resources.ts';
import { findBundle } from '../operate/files/read-bundle.ts';
import { readModelFile, readWithoutSecrets } from '../operate/files/read-model-file.ts';
import { localCharm } from '../operate/files/upload-charm.ts';
import { forecastFile } from '../operate/model-file/forecast-file.ts';
import type { ModelDeploy } from '../operate/model-file/prepare-model.ts';
import { readYamlValue } from '../kit/yaml/read.ts';
import type { Variables } from '../kit/yaml/variables.ts';
import { modelFlags } from './command.ts';
import type { CommandContext } from './context.ts';
import { noMoreArgs, UsageError } from './errors.ts';
import { bool, list, text, type FlagValues } from './flags.ts';
import { readText } from './key-values.ts';
import { readMachineMap } from './placements.ts';

/** Flags by which a file is read. */
export const fileFlags = {
  ...modelFlags,
  mapMachines: text('--map-machines', 'Indicates how existing machines correspond to machines of the file'),
  overlay: list('--overlay', 'Files to overlay on the model file, applied in order'),
  var: list('--var', 'Value of a variable of the file, as <name>=<value>'),
  varFile: list('--var-file', 'YAML file with values of variables', { completes: 'file' }),
};

/** Flags that say what a plan may do. */
export const planFlags = {
  ...fileFlags,
  force: bool('--force', 'Allow bases that a charm does not have'),
  prune: bool('--prune', 'Also remove what the file once made and no longer names'),
  replace: list(
    '--replace',
    'Application that may be removed and deployed anew, or offer:<name> that may be made anew, where the file asks for that',
  ),
};

type Flags = FlagValues<typeof fileFlags> & Partial<FlagValues<typeof planFlags>>;

/**
 * Reads the file that the only argument names, and opens the model. Errors: UsageError; what is wrong with the file or
 * with what it refers to.
 */
export async function readFileArgument(
  context: CommandContext,
  flags: Flags,
  args: readonly string[],
): Promise<ModelDeploy> {
  const [argument, ...more] = args;
  if (argument === undefined) throw new UsageError('no model file specified');
  noMoreArgs(more);
  const map = readMachineMap(flags.mapMachines);
  const sources = await sourcesOf(context, flags, argument);
  const { file, secrets } = await readModelFile({ ...sources, env: context.io.env });
  sources.refuseUnused();
  return {
    file,
    secrets,
    map,
    ...readersOf(context),
    openController: (name) => context.openController(name),
    session: await context.openModel(flags.model),
    force: flags.force ?? false,
    prune: flags.prune ?? false,
    replace: flags.replace ?? [],
  };
}

/** Reads the file of that name for a forecast of the model. Errors: as of readFileArgument. */
export async function readForecastFile(
  context: CommandContext,
  flags: Flags,
  { name, connection }: { readonly name: string; readonly connection: Connection },
): Promise<ForecastFile> {
  const sources = await sourcesOf(context, flags, name);
  const { raw, file } = await readWithoutSecrets(sources);
  sources.refuseUnused();
  const { force = false, prune = false, replace = [], mapMachines } = flags;
  // What is wrong with it is said here, before anything is read for it.
  readMachineMap(mapMachines);
  const means = { raw, file, connection, ...readersOf(context) };
  return forecastFile({ ...means, name, force, prune, replace: [...replace], 'map-machines': mapMachines });
}

function readersOf({ io }: CommandContext): Pick<ModelDeploy, 'readCharm' | 'readResource'> {
  return {
    readCharm: (charm) => localCharm(charm, io.uploadCharm),
    readResource: (name, declared, value) => localResource(io, name, declared, value),
  };
}

/** Where the file of that name, what is laid over it and its variables come from. */
async function sourcesOf(context: CommandContext, flags: Flags, name: string) {
  const path = await findBundle(context.io, name);
  if (path === undefined)
    throw new UsageError(
      `"${name}" is not a model file: expected a .yaml file, or a directory with a bundle.yaml`,
    );
  const read = await readVariables(context, flags);
  return { given: context.io, path, overlays: flags.overlay, ...read };
}

/** Values of `--var` first, then of the files, the last of them first, then of the environment. */
async function readVariables(
  context: CommandContext,
  { var: pairs, varFile }: Flags,
): Promise<{ readonly variables: Variables; readonly refuseUnused: () => void }> {
  const values = new Map<string, string>();
  for (const file of varFile)
    for (const [name, value] of variablesOf(file, await readText(context, file))) values.set(name, value);
  for (const pair of pairs) {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--var: expected <name>=<value>, got "${pair}"`);
    values.set(name, value);
  }
  const { env } = context.io;
  const used = new Set<string>();
  return {
    variables(name) {
      used.add(name);
      return values.get(name) ?? (Object.hasOwn(env, name) ? env[name] : undefined);
    },
    // A misspelt name would leave the default in force without a word.
    refuseUnused() {
      const unused = pairs.map((pair) => pair.slice(0, pair.indexOf('='))).find((name) => !used.has(name));
      if (unused === undefined) return;
      const names = used.size === 0 ? 'none' : [...used].sort().slice(0, shownMax).join(', ');
      throw new UsageError(`--var: the file has no variable ${unused}; its variables are: ${names}`);
    },
  };
}

/** Maximum number of variables that an error names. */
const shownMax = 20;

function variablesOf(file: string, text: string): [string, string][] {
  let value: unknown;
  try {
    value = readYamlValue(text, { dialect: 'texts' }) ?? {};
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${file}: expected a map of variables to values`);
  return Object.entries(value).map(([name, one]: [string, unknown]) => {
    if (typeof one !== 'string') throw new Error(`${file}: the value of "${name}" is not text`);
    return [name, one];
  });
}
