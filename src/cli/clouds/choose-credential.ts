import { authTypesOfJuju } from '../../core/cloud/juju-types.ts';
import { credentialSchema } from '../../providers/contract/credential-schema.ts';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { readGiven } from '../../kit/given-file.ts';
import type { AttributeSchema, CloudSpec, Credential, Provider } from '../../providers/contract/provider.ts';
import type { CommandContext } from '../context.ts';
import { cloudFiles, detect } from './client-clouds.ts';
import type { ClientCloud, NamedCredential } from './cloud.ts';

/**
 * Chooses the credential for a cloud: the named one, then the default or the only one of credentials.yaml, then the
 * only one found on this computer, then none if the cloud accepts that. Its attributes are as the file has them: see
 * finalizeCredential. Errors: `not found`, and an ambiguous choice.
 */
export async function chooseCredential(
  context: CommandContext,
  cloud: ClientCloud,
  provider: Provider,
  name: string,
): Promise<NamedCredential | undefined> {
  const stored = await (await cloudFiles(context)).credentialsOf(cloud.name);
  const requestedName = name || stored.defaultCredential || '';
  const [firstName] = stored.credentials.keys();
  const chosen = requestedName || (stored.credentials.size === 1 ? firstName : undefined);
  if (chosen !== undefined) {
    const credential =
      stored.credentials.get(chosen) ?? (await detectCredentials(context, cloud, provider)).get(chosen);
    if (!credential)
      throw new JujuError('not found', `credential "${chosen}" for cloud "${cloud.name}" not found`);
    return { name: chosen, authType: credential.authType, attributes: credential.attributes };
  }
  if (stored.credentials.size > 1) throw new JujuError('', severalCredentials('available'));
  const detectedCredentials = await detectCredentials(context, cloud, provider);
  if (detectedCredentials.size > 1) throw new JujuError('', severalCredentials('detected'));
  for (const [detectedName, { authType, attributes }] of detectedCredentials)
    return { name: detectedName, authType, attributes };
  if (cloud.authTypes.length === 0 || cloud.authTypes.includes('empty')) return undefined;
  throw new JujuError(
    'no credentials provided',
    `no credentials for cloud "${cloud.name}": run 'grigri add-credential ${cloud.name}' to add one, or 'grigri autoload-credentials' to detect some`,
  );
}

const severalCredentials = (source: string): string =>
  `more than one credential is ${source}\nspecify a credential using the --credential argument`;

/** Returns the credentials that the provider finds on this computer for this cloud, by name. */
async function detectCredentials(
  context: CommandContext,
  cloud: ClientCloud,
  provider: Provider,
): Promise<ReadonlyMap<string, Credential & { readonly label: string }>> {
  const names = new Set([cloud.name]);
  // A built-in cloud may be detected under any of its aliases.
  if (cloud.defined === 'built-in' && provider.builtinCloud?.name === cloud.name)
    for (const alias of provider.builtinCloud.aliases ?? []) names.add(alias);
  const clouds = (await detect(context, provider)).filter((one) => names.has(one.name));
  return new Map(clouds.flatMap((one) => Object.entries(one.credentials)));
}

/**
 * Returns the credential in the form that is kept and sent: files are read, attributes are checked, and the provider
 * may replace the credential (a trust token becomes a certificate). Errors: `not valid`, ProviderError.
 */
export async function finalizeCredential(
  context: CommandContext,
  spec: CloudSpec,
  provider: Provider | undefined,
  credential: NamedCredential,
): Promise<NamedCredential> {
  const { name, authType } = credential;
  const schema = credentialSchema(provider, spec.type, authType);
  if (!schema) {
    const authTypes = provider ? Object.keys(provider.authTypes) : (authTypesOfJuju(spec.type) ?? []);
    throw new JujuError(
      'not supported',
      `credential "${name}": auth type "${authType}" is not supported by cloud type ${spec.type}, which supports: ${authTypes.join(', ')}`,
    );
  }
  const attributes = await readFiles(context, schema, credential.attributes);
  checkAttributes(name, schema, attributes);
  const checked = { authType, attributes };
  if (!provider?.finalizeCredential) return { name, ...checked };
  const { clock, signal } = context.io;
  const final = await provider.finalizeCredential(
    { ...spec, credential: checked },
    { label: name, clock, signal },
  );
  return { name, authType: final.authType, attributes: final.attributes };
}

/** Finalizes a credential that may be in the client's file. A one-time token in the file is replaced by its result. */
export async function useCredential(
  context: CommandContext,
  spec: CloudSpec,
  provider: Provider,
  credential: NamedCredential,
): Promise<NamedCredential> {
  const final = await finalizeCredential(context, spec, provider, credential);
  const files = await cloudFiles(context);
  const stored = (await files.credentialsOf(spec.name)).credentials.get(credential.name);
  if (stored?.authType === credential.authType && final.authType !== credential.authType)
    await files.setCredential(spec.name, credential.name, final);
  return final;
}

/**
 * Checks the attributes against the schema. Errors: `not valid`, which names missing or unknown attributes but contains
 * no values.
 */
function checkAttributes(
  name: string,
  schema: AttributeSchema,
  attributes: Readonly<Record<string, string>>,
): void {
  const unknown = Object.keys(attributes).find((key) => !Object.hasOwn(schema, key));
  if (unknown !== undefined)
    throw new JujuError(
      'not valid',
      `credential "${name}": unknown attribute "${unknown}" (known attributes: ${Object.keys(schema).join(', ') || 'none'})`,
    );
  for (const [key, { optional, values }] of Object.entries(schema)) {
    const value = attributes[key] ?? '';
    if (value === '' && !optional)
      throw new JujuError('not valid', `credential "${name}": attribute "${key}" is missing`);
    if (value !== '' && values && !values.includes(value))
      throw new JujuError(
        'not valid',
        `credential "${name}": attribute "${key}" must be one of ${values.join(', ')}`,
      );
  }
}

/** Replaces `client-cert: /path` and `client-cert-file: path` by the content of the file. */
async function readFiles(
  context: CommandContext,
  schema: AttributeSchema,
  attributes: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const resolved: Record<string, string> = {};
  for (const [attribute, value] of Object.entries(attributes)) {
    const key = attribute.replace(/-file$/, '');
    const byName = key !== attribute && !Object.hasOwn(schema, attribute) && schema[key]?.file === true;
    const byValue = schema[attribute]?.file === true && /^(\/|~\/|\.{1,2}\/)[^\n]*$/.test(value);
    if (byName || byValue) resolved[key] = await readAttributeFile(context, attribute, value);
    else resolved[attribute] = value;
  }
  return resolved;
}

async function readAttributeFile(context: CommandContext, key: string, path: string): Promise<string> {
  try {
    return (await readGiven(context.io, path, limits.givenText.max)).toString();
  } catch (error) {
    throw new JujuError('not valid', `attribute "${key}": ${(error as Error).message}`, { cause: error });
  }
}
