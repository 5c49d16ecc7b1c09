import type { CharmMeta } from '../charm/metadata.ts';
import { JujuError } from '../errors.ts';
import type { ResourceDoc } from './document.ts';

/** A resource as the charm declares it, with its content. */
export interface ShownResource extends Omit<ResourceDoc, 'sha256' | 'charmUrl'> {
  readonly type: string;
  /** Name of the file on machines. */
  readonly path: string;
  readonly description: string;
}

type Declared = CharmMeta['resources'];

/** A resource with its declaration; without content it has revision 0, no fingerprint and no time. */
export function shownResource(
  declared: Declared,
  key: Pick<ResourceDoc, 'application' | 'name'>,
  doc: ResourceDoc | undefined,
): ShownResource {
  const { type, path, description } = declaredResource(declared, key.name);
  if (doc) {
    const { sha256: _, charmUrl: __, ...content } = doc;
    return { ...content, type, path, description };
  }
  const { application, name } = key;
  return {
    application,
    name,
    type,
    path,
    description,
    origin: 'upload',
    revision: 0,
    fingerprint: '',
    size: 0,
    username: '',
    timestamp: '',
  };
}

/** The charm's declaration of the resource. Errors: `not found`. */
export function declaredResource(declared: Declared, name: string): Declared[string] {
  const found = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (!found) throw new JujuError('not found', `resource "${name}" not found`);
  return found;
}

/** Refuses a file whose extension differs from that of the charm's file: programs look at it. Errors: `bad request`. */
export function checkExtension(fileName: string, { type, path }: Pick<ShownResource, 'type' | 'path'>): void {
  if (type !== 'file' || fileName === '') return;
  const expected = extensionOf(path);
  if (extensionOf(fileName) !== expected)
    throw new JujuError(
      'bad request',
      `incorrect extension on resource upload "${fileName}", expected "${expected}"`,
    );
}

/** The extension with its dot; '' = none. */
function extensionOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot < 0 ? '' : fileName.slice(dot);
}
