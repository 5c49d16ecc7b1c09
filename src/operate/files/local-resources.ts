/** Contents of resources on disk. */
import type { Stats } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fingerprintOf, uploadResource } from '../../client/resources.ts';
import type { CharmMeta } from '../../core/charm/metadata.ts';
import { JujuError } from '../../core/errors.ts';
import { checkExtension } from '../../core/resource/shown.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { pathOf, type Folders } from '../../kit/given-file.ts';
import { makeTemporaryFolder } from '../../kit/stale-folders.ts';
import { toYaml } from '../../kit/yaml/write.ts';
import { loginOptions } from '../login-options.ts';
import { checkResourceNames, type ResourceSource } from '../deploy/resources.ts';

/** Sends a file as a resource's content. */
type SendResource = typeof uploadResource;

interface ResourceReader extends Folders {
  readonly uploadResource: (upload: Parameters<SendResource>[0]) => Promise<unknown>;
}

/**
 * Returns the contents that `values` name: files, and for OCI images names of images, too. Errors: `not valid` for what
 * the charm does not declare; '' for a file that is not there.
 */
export async function localResources(
  reader: ResourceReader,
  meta: Pick<CharmMeta, 'resources'>,
  values: Readonly<Record<string, string>>,
): Promise<ResourceSource[]> {
  checkResourceNames(meta, Object.keys(values));
  return Promise.all(
    Object.entries(values).map(async ([name, value]) => {
      // Only a charm store has revisions.
      if (/^\d+$/.test(value) && !(await infoOf(reader, value)))
        throw new JujuError('', `resource "${name}" revision not found, provide via --resource`);
      return localResource(reader, name, meta.resources[name]!, value);
    }),
  );
}

/** Returns one content; `declared` is the charm's declaration. Errors: as localResources. */
export async function localResource(
  reader: ResourceReader,
  name: string,
  declared: { readonly type: string; readonly path: string },
  value: string,
): Promise<ResourceSource> {
  const file = pathOf(reader, value);
  const info = await infoOf(reader, value);
  if (!info && declared.type === 'oci-image') return imageResource(reader, name, value);
  if (!info) throw new JujuError('', `file for resource "${name}": open ${value}: no such file or directory`);
  if (!info.isFile()) throw new JujuError('', `file for resource "${name}": ${value} is not a file`);
  checkLimit(limits.resourceFile, info.size);
  checkExtension(basename(file), declared);
  return fileResource(reader, name, { file, bytes: info.size });
}

/** The file that the value names; undefined when there is none. */
function infoOf(reader: Folders, value: string): Promise<Stats | undefined> {
  return stat(pathOf(reader, value)).catch(() => undefined);
}

function fileResource(
  { uploadResource: send }: ResourceReader,
  name: string,
  { file, bytes }: { readonly file: string; readonly bytes: number },
): ResourceSource {
  let hashing: Promise<string> | undefined;
  const fingerprint = (): Promise<string> => (hashing ??= fingerprintOf(file));
  return {
    name,
    bytes,
    fingerprint,
    async send({ signal }, session, target) {
      await send({
        ...loginOptions(session, signal),
        modelUuid: session.modelUuid,
        ...target,
        name,
        file,
        fingerprint: await fingerprint(),
      });
    },
  };
}

/** The description of an image, by its name in a registry. */
function imageResource(reader: ResourceReader, name: string, image: string): ResourceSource {
  const text = toYaml({ registrypath: image });
  const inFile = async <T>(work: (source: ResourceSource) => Promise<T>): Promise<T> => {
    const folder = await makeTemporaryFolder('grigri-resource-');
    try {
      const file = join(folder, 'content.yaml');
      await writeFile(file, text, { mode: 0o600 });
      return await work(fileResource(reader, name, { file, bytes: Buffer.byteLength(text) }));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return {
    name,
    bytes: Buffer.byteLength(text),
    fingerprint: () => inFile((source) => source.fingerprint()),
    send: (...args) => inFile((source) => source.send(...args)),
  };
}
