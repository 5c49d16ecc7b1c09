/** Model file with its overlays, variables and the contents of its secrets. */
import { createHash } from 'node:crypto';
import { bundleProblems } from '../../core/bundle/problems.ts';
import { verifyParts } from '../../core/bundle/verify-bundle.ts';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { ModelFile, SecretSource } from '../../core/model-file/model-file.ts';
import { parseModelFile } from '../../core/model-file/parse-model-file.ts';
import { checkContent, checksumText, type SecretContent } from '../../core/secret/content.ts';
import { readGiven, type GivenFiles } from '../../kit/given-file.ts';
import type { Variables } from '../../kit/yaml/variables.ts';
import type { SecretValue } from '../model-file/prepare-model.ts';
import { readMerged, usualSizeMax } from './read-bundle.ts';

interface ModelFileSources {
  readonly given: GivenFiles;
  /** Absolute path of the file. */
  readonly path: string;
  readonly overlays: readonly string[];
  readonly variables: Variables;
  /** The environment that secrets may come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface ReadModelFile {
  readonly file: ModelFile;
  readonly secrets: Readonly<Record<string, SecretValue>>;
}

/** Reads a model file. Errors: JujuError that names the file, the line of a variable, or the secret. */
export async function readModelFile(sources: ModelFileSources): Promise<ReadModelFile> {
  const { file } = await readWithoutSecrets(sources);
  return { file, secrets: await readSecrets(file, sources) };
}

/** Reads a model file, and also returns it as it was parsed from. Errors: as of readModelFile, without secrets. */
export async function readWithoutSecrets({
  given,
  path,
  overlays,
  variables,
}: Omit<ModelFileSources, 'env'>): Promise<Omit<ReadModelFile, 'secrets'> & { readonly raw: unknown }> {
  const raw = await readMerged(given, path, overlays, { variables, sizeMax: limits.bundleBytes.max });
  const file = parseModelFile(raw);
  const problems = verifyParts(file.bundle);
  if (problems.length > 0) throw bundleProblems(problems, 'model file');
  return { raw, file };
}

async function readSecrets(file: ModelFile, sources: ModelFileSources): Promise<Record<string, SecretValue>> {
  const secrets: [string, SecretValue][] = [];
  for (const [name, { content: from }] of Object.entries(file.secrets)) {
    if (!from) continue;
    try {
      const content = await readContent(from, sources);
      const checksum = createHash('sha256').update(checksumText(content)).digest('hex');
      secrets.push([name, { content, checksum }]);
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `secret "${name}": ${error.message}`, { cause: error });
    }
  }
  return Object.fromEntries(secrets);
}

/** Reads values of a secret. */
async function readContent(
  from: Readonly<Record<string, SecretSource>>,
  { given, env }: ModelFileSources,
): Promise<SecretContent> {
  const content: Record<string, string> = {};
  for (const [key, source] of Object.entries(from)) {
    if ('file' in source) {
      content[key] = (await readGiven(given, source.file, usualSizeMax)).toString('base64');
      continue;
    }
    const value = Object.hasOwn(env, source.env) ? env[source.env] : undefined;
    // CI systems give an empty value for a secret that they do not have.
    if (value === undefined || value === '')
      throw new JujuError(
        'not found',
        `the environment has no ${value === undefined ? '' : 'value of '}${source.env}, which is the value of "${key}"`,
      );
    content[key] = Buffer.from(value).toString('base64');
  }
  checkContent(content);
  return content;
}
