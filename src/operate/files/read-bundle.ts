/** Bundle and its overlays, read from files. The paths that a file names are relative to that file's folder. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bundle } from '../../core/bundle/bundle.ts';
import { mergeDocuments } from '../../core/bundle/overlay.ts';
import { parseBundle } from '../../core/bundle/parse-bundle.ts';
import { bundleProblems } from '../../core/bundle/problems.ts';
import { verifyBundle } from '../../core/bundle/verify-bundle.ts';
import { isMap, type Raw } from '../../core/charm/raw.ts';
import { JujuError } from '../../core/errors.ts';
import { pathOf, readGiven, type Folders, type GivenFiles } from '../../kit/given-file.ts';
import { readYaml } from '../../kit/yaml/read.ts';
import type { Variables } from '../../kit/yaml/variables.ts';
import { bundleSize } from '../bundle/bundle-size.ts';
import { defined } from '../../core/defined.ts';

/** Maximum size of a file in bytes, far above any written by hand. */
export const usualSizeMax = 1024 * 1024;
const aliasesMax = 1000;

/**
 * Returns the bundle's file that `where` names: a `.yaml` file, or the `bundle.yaml` of a directory. Undefined for
 * anything else, such as a charm.
 */
export async function findBundle(folders: Folders, pathArg: string): Promise<string | undefined> {
  const path = pathOf(folders, pathArg);
  const info = await stat(path).catch(() => undefined);
  if (info?.isDirectory()) {
    const file = join(path, 'bundle.yaml');
    return (await stat(file).catch(() => undefined))?.isFile() ? file : undefined;
  }
  return /\.ya?ml$/.test(pathArg) ? path : undefined;
}

/** Reads a bundle from `path`, a result of findBundle. Errors: JujuError that names the file and lists all problems. */
export async function readBundle(
  given: GivenFiles,
  path: string,
  overlays: readonly string[],
): Promise<{ bundle: Bundle; warnings: string[] }> {
  const { bundle, warnings } = parseBundle(await readMerged(given, path, overlays));
  const problems = verifyBundle(bundle);
  if (problems.length > 0) throw bundleProblems(problems);
  return { bundle, warnings };
}

/** Means of reading a file beyond those of a bundle. */
interface ReadOptions {
  readonly variables?: Variables;
  /** Maximum size of each file in bytes. */
  readonly sizeMax?: number;
}

/** The documents of a file and of its overlays as one, in which names of files are absolute. */
export async function readMerged(
  given: GivenFiles,
  path: string,
  overlays: readonly string[],
  options: ReadOptions = {},
): Promise<unknown> {
  const documents: unknown[] = [];
  for (const file of [path, ...overlays.map((overlay) => pathOf(given, overlay))])
    documents.push(...(await readDocuments(given, file, options)));
  return mergeDocuments(documents);
}

async function readDocuments(
  given: GivenFiles,
  file: string,
  { variables, sizeMax = usualSizeMax }: ReadOptions,
): Promise<unknown[]> {
  const text = textOf(file, await readGiven(given, file, sizeMax));
  const documents = yamlOf(file, text, variables);
  if (documents.every((document) => document === null))
    throw new JujuError('not valid', `${file}: the file is empty`);
  const names = new Names({ ...given, cwd: dirname(file) });
  return Promise.all(documents.map((document) => names.resolved(document)));
}

/** The text of a file's bytes. Errors: `not valid` for what is not UTF-8: a letter that was lost would be applied. */
function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new JujuError('not valid', `${file}: not UTF-8 text: save it as UTF-8`, { cause: error });
  }
}

function yamlOf(file: string, text: string, variables: Variables | undefined): unknown[] {
  try {
    return readYaml(text, { aliasesMax, size: bundleSize, ...defined({ variables }) });
  } catch (error) {
    throw new JujuError('not valid', `${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Resolver of the file names in a document, which are relative to the document's folder unless they are absolute. */
class Names {
  readonly #given: GivenFiles;

  /** `given`: relative to the document's folder. */
  constructor(given: GivenFiles) {
    this.#given = given;
  }

  async resolved(document: unknown): Promise<unknown> {
    if (!isMap(document)) return document;
    return {
      ...document,
      ...(await mapItems(document, ['applications', 'services'], (one) => this.#application(one))),
      ...(await mapItems(document, ['machines'], (one) => this.#included(one, ['annotations']))),
      ...(await mapItems(document, ['secrets'], (one) => this.#secret(one))),
    };
  }

  async #application(application: Raw): Promise<Raw> {
    const { charm, resources } = application;
    return {
      ...(await this.#included(application, ['options', 'annotations'])),
      ...defined({ charm: typeof charm === 'string' ? this.#charm(charm) : undefined }),
      ...(isMap(resources) ? { resources: await this.#resources(resources) } : {}),
    };
  }

  /** A secret of a model file, whose values may come from files. */
  async #secret(secret: Raw): Promise<Raw> {
    const source = (one: Raw): Raw => {
      const { file } = one;
      return typeof file === 'string' && file !== '' ? { ...one, file: pathOf(this.#given, file) } : one;
    };
    return { ...secret, ...(await mapItems(secret, ['content'], (one) => Promise.resolve(source(one)))) };
  }

  /** Charms count as paths by their looks: a bare name is a charm of Charmhub, and `local:kv-0` one of the model. */
  #charm(charm: string): string {
    const path = charm.replace(/^local:(?=[./~])/, '');
    const hasScheme = /^[a-z]+:/.test(path);
    const isPath = !hasScheme && (path.includes('/') || path === '.' || path.endsWith('.charm'));
    return isPath ? pathOf(this.#given, path) : charm;
  }

  /** Resources are files, but a value that does not look like a file and names none may be the name of an image. */
  async #resources(resources: Raw): Promise<Raw> {
    const resolved: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(resources)) {
      const path = typeof value === 'string' && value !== '' ? pathOf(this.#given, value) : undefined;
      const isPath = /^(\.{1,2}|~)?\//.test(String(value));
      const isFile = path !== undefined && (isPath || (await stat(path).catch(() => undefined))?.isFile());
      Object.defineProperty(resolved, name, { value: isFile ? path : value, enumerable: true });
    }
    return resolved;
  }

  async #included(map: Raw, keys: readonly string[]): Promise<Raw> {
    const included = { ...map };
    for (const key of keys) {
      const values = map[key];
      if (isMap(values))
        included[key] = Object.fromEntries(
          await Promise.all(
            Object.entries(values).map(async ([name, value]) => [name, await this.#value(value)] as const),
          ),
        );
    }
    return included;
  }

  async #value(value: unknown): Promise<unknown> {
    if (typeof value !== 'string') return value;
    const [, encoding, name] = /^include-(file|base64):\/\/(.+)$/s.exec(value) ?? [];
    if (name === undefined) return value;
    const content = await readGiven(this.#given, pathOf(this.#given, name), usualSizeMax);
    return encoding === 'base64' ? content.toString('base64') : textOf(pathOf(this.#given, name), content);
  }
}

/** Applies `change` to every map in these sections. */
async function mapItems(
  document: Raw,
  sections: readonly string[],
  change: (item: Raw) => Promise<Raw>,
): Promise<Raw> {
  const changed: Record<string, unknown> = {};
  for (const section of sections) {
    const items = document[section];
    if (!isMap(items)) continue;
    changed[section] = Object.fromEntries(
      await Promise.all(
        Object.entries(items).map(
          async ([name, item]) => [name, isMap(item) ? await change(item) : item] as const,
        ),
      ),
    );
  }
  return changed;
}
