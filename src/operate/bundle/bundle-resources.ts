/** Contents of resources that a bundle names. */
import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleCharm, BundleModel } from '../../core/bundle/bundle-model.ts';
import { ownValue } from '../../core/bundle/own.ts';
import { JujuError } from '../../core/errors.ts';
import { applicationTag } from '../../wire/tags.ts';
import { base64OfHex, checkResourceNames, type ResourceSource } from '../deploy/resources.ts';

/** Reader of a content, by its name, the charm's declaration, and the value in the bundle. */
export type ReadResource = (
  name: string,
  declared: { readonly type: string; readonly path: string },
  value: string,
) => Promise<ResourceSource>;

/** Contents by application and resource. */
export type BundleResources = ReadonlyMap<string, ReadonlyMap<string, ResourceSource>>;

/**
 * Finds the contents, and which of them the applications that the model has do not have. Errors: those of
 * checkResourceNames and `readResource`; each names the application.
 */
export async function bundleResources(
  connection: Connection,
  {
    bundle,
    model,
    charms,
    readResource,
  }: {
    readonly bundle: Bundle;
    readonly model: BundleModel;
    readonly charms: Readonly<Record<string, BundleCharm>>;
    readonly readResource: ReadResource;
  },
): Promise<{
  readonly sources: BundleResources;
  readonly changed: Readonly<Record<string, readonly string[]>>;
}> {
  const sources = new Map<string, Map<string, ResourceSource>>();
  for (const [application, { resources = {} }] of Object.entries(bundle.applications)) {
    const meta = ownValue(charms, application)?.meta;
    if (!meta || Object.keys(resources).length === 0) continue;
    const ofApplication = new Map<string, ResourceSource>();
    try {
      checkResourceNames(meta, Object.keys(resources));
      for (const [name, value] of Object.entries(resources))
        ofApplication.set(name, await readResource(name, meta.resources[name]!, value));
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `application "${application}": ${error.message}`, { cause: error });
    }
    sources.set(application, ofApplication);
  }
  const known = [...sources.keys()].filter((name) => ownValue(model.state.applications, name));
  return { sources, changed: await changedOf(connection, sources, known) };
}

/** A content that was found before the deploy began. */
export function sourceOf(resources: BundleResources, application: string, name: string): ResourceSource {
  const source = resources.get(application)?.get(name);
  if (!source) throw new Error(`resource ${name} of ${application} was not read`);
  return source;
}

/**
 * Resources that the bundle names and whose contents differ from the model's, by application; none of an application
 * that the model does not have. A content in words is its value in the bundle, and the beginning of its fingerprint.
 * Errors: those of `readResource`.
 */
export async function differentResources(
  connection: Connection,
  {
    bundle,
    model,
    readResource,
  }: { readonly bundle: Bundle; readonly model: Bundle; readonly readResource: ReadResource },
): Promise<Record<string, Record<string, { readonly bundle: string; readonly model: string | null }>>> {
  const named = Object.entries(bundle.applications).filter(
    ([name, { resources }]) => resources && ownValue(model.applications, name),
  );
  if (named.length === 0) return {};
  const { results } = await call(connection, 'Resources', 'ListResources', {
    entities: named.map(([name]) => ({ tag: applicationTag(name) })),
  });
  const different: Awaited<ReturnType<typeof differentResources>> = {};
  for (const [i, [application, { resources = {} }]] of named.entries()) {
    const had = new Map(results[i]?.resources.map((one) => [one.name, one]));
    for (const [name, value] of Object.entries(resources)) {
      const declared = had.get(name);
      const source = await readResource(name, declared ?? { type: 'file', path: '' }, value);
      const fingerprint = base64OfHex(await source.fingerprint());
      if (declared?.fingerprint === fingerprint) continue;
      (different[application] ??= {})[name] = {
        bundle: `${value} (${fingerprint.slice(0, shownDigits)}…)`,
        model: declared?.fingerprint ? `${declared.fingerprint.slice(0, shownDigits)}…` : null,
      };
    }
  }
  return different;
}
const shownDigits = 12;

async function changedOf(
  connection: Connection,
  sources: BundleResources,
  applications: readonly string[],
): Promise<Record<string, string[]>> {
  if (applications.length === 0) return {};
  const { results } = await call(connection, 'Resources', 'ListResources', {
    entities: applications.map((name) => ({ tag: applicationTag(name) })),
  });
  const changed: [string, string[]][] = [];
  for (const [i, application] of applications.entries()) {
    const had = new Map(results[i]?.resources.map(({ name, fingerprint }) => [name, fingerprint]));
    const names: string[] = [];
    for (const [name, source] of sources.get(application) ?? [])
      if (had.get(name) !== base64OfHex(await source.fingerprint())) names.push(name);
    changed.push([application, names]);
  }
  return Object.fromEntries(changed);
}
