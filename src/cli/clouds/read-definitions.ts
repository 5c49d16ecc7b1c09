/** Definitions of clouds and credentials from files given with -f, in the form of the client's own files. */
import { authTypesOfJuju } from '../../core/cloud/juju-types.ts';
import { JujuError } from '../../core/errors.ts';
import { isCredentialName } from '../../core/names.ts';
import type { CommandContext } from '../context.ts';
import { reading } from '../files/client-file.ts';
import {
  cloudsContent,
  credentialsContent,
  readClouds,
  readCredentials,
  type CloudCredentials,
  type CloudEntry,
} from '../files/cloud-files.ts';
import { readText } from '../key-values.ts';
import { defaultAuthTypes, type Providers } from './client-clouds.ts';
import { defined } from '../../core/defined.ts';

/**
 * Reads a cloud from a file like clouds.yaml, or from the output of `clouds --format yaml`. Errors: `not found`, plain
 * Error.
 */
export async function readDefinition(
  context: CommandContext,
  file: string,
  name: string,
): Promise<CloudEntry> {
  const text = await readText(context, file);
  const clouds = reading({ path: file, text }, () => {
    const content = cloudsContent(text);
    return readClouds(
      content instanceof Map && content.has('clouds') ? content : new Map([['clouds', content]]),
    );
  });
  const entry = clouds.get(name);
  if (!entry) throw new JujuError('not found', `cloud "${name}" not found in file "${file}"`);
  return entry;
}

/** Reads credentials from a file, by cloud. Errors: `not valid`, plain Error. */
export async function readCredentialsFile(
  context: CommandContext,
  file: string,
): Promise<ReadonlyMap<string, CloudCredentials>> {
  const text = await readText(context, file);
  const clouds = reading({ path: file, text }, () => readCredentials(credentialsContent(text)));
  for (const { credentials } of clouds.values())
    for (const name of credentials.keys())
      if (!isCredentialName(name))
        throw new JujuError('not valid', `"${name}" is not a valid credential name`);
  return clouds;
}

/**
 * Returns the definition after its provider has checked it, with defaults for what it omits. A definition of a type
 * that only Juju has is not checked. Errors: `not supported` (type, auth type), `not valid`.
 */
export function checkDefinition(entry: CloudEntry, providers: Providers): CloudEntry {
  const provider = providers.get(entry.type);
  const ofJuju = provider ? undefined : authTypesOfJuju(entry.type);
  if (!provider && !ofJuju)
    throw new JujuError(
      'not supported',
      `cloud type "${entry.type}" not supported, supported: ${[...providers.keys()].sort().join(', ')}`,
    );
  const authTypes =
    entry['auth-types'] ?? (provider ? defaultAuthTypes(provider, entry.endpoint ?? '') : [...ofJuju!]);
  if (provider) {
    const unknown = authTypes.find((type) => !Object.hasOwn(provider.authTypes, type));
    if (unknown !== undefined) throw new JujuError('not supported', `auth type "${unknown}" not supported`);
    provider.validate(entry.config ?? {});
  }
  const { type, description, ...otherMembers } = entry;
  return {
    type,
    ...defined({ description: description || undefined }),
    ...otherMembers,
    'auth-types': authTypes,
    regions: entry.regions ?? new Map([['default', {}]]),
  };
}
