import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { JujuError } from '../../core/errors.ts';
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
  const known = await (await cloudFiles(context)).credentialsOf(cloud.name);
  const wanted = name || known.defaultCredential || '';
  const [only] = known.credentials.keys();
  const chosen = wanted || (known.credentials.size === 1 ? only : undefined);
  if (chosen !== undefined) {
    const found = known.credentials.get(chosen) ?? (await detected(context, cloud, provider)).get(chosen);
    if (!found)
      throw new JujuError('not found', `credential "${chosen}" for cloud "${cloud.name}" not found`);
    return { name: chosen, authType: found.authType, attributes: found.attributes };
  }
  if (known.credentials.size > 1) throw new JujuError('', severalCredentials('available'));
  const found = await detected(context, cloud, provider);
  if (found.size > 1) throw new JujuError('', severalCredentials('detected'));
  for (const [own, { authType, attributes }] of found) return { name: own, authType, attributes };
  if (cloud.authTypes.length === 0 || cloud.authTypes.includes('empty')) return undefined;
  throw new JujuError(
    'no credentials provided',
    `no credentials for cloud "${cloud.name}": add one with 'grigri add-credential ${cloud.name}', or let 'grigri autoload-credentials' look for some`,
  );
}

const severalCredentials = (where: string): string =>
  `more than one credential is ${where}\nspecify a credential using the --credential argument`;

/** Returns the credentials that the provider finds on this computer for this cloud, by name. */
async function detected(
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
 * may replace it (a trust token becomes a certificate). Errors: `not valid`, ProviderError.
 */
export async function finalizeCredential(
  context: CommandContext,
  spec: CloudSpec,
  provider: Provider,
  credential: NamedCredential,
): Promise<NamedCredential> {
  const { name, authType } = credential;
  const schema = provider.authTypes[authType];
  if (!schema)
    throw new JujuError(
      'not supported',
      `credential "${name}": auth type "${authType}" is none of cloud type ${provider.type}: ${Object.keys(provider.authTypes).join(', ')}`,
    );
  const attributes = await readFiles(context, schema, credential.attributes);
  checkAttributes(name, schema, attributes);
  const whole = { authType, attributes };
  if (!provider.finalizeCredential) return { name, ...whole };
  const { clock, signal } = context.io;
  const final = await provider.finalizeCredential(
    { ...spec, credential: whole },
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
  const kept = (await files.credentialsOf(spec.name)).credentials.get(credential.name);
  if (kept?.authType === credential.authType && final.authType !== credential.authType)
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
      `credential "${name}": unknown attribute "${unknown}" (it may have: ${Object.keys(schema).join(', ') || 'none'})`,
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
  const read: Record<string, string> = {};
  for (const [given, value] of Object.entries(attributes)) {
    const key = given.replace(/-file$/, '');
    const byName = key !== given && !Object.hasOwn(schema, given) && schema[key]?.file === true;
    const byValue = schema[given]?.file === true && /^(\/|~\/|\.{1,2}\/)[^\n]*$/.test(value);
    if (byName || byValue) read[key] = await readAttributeFile(context, given, value);
    else read[given] = value;
  }
  return read;
}

async function readAttributeFile(context: CommandContext, key: string, path: string): Promise<string> {
  const whole = resolve(context.io.cwd, path.replace(/^~(?=\/)/, context.io.home));
  try {
    return await readFile(whole, 'utf8');
  } catch (error) {
    throw new JujuError('not valid', `attribute "${key}": cannot read ${whole}`, { cause: error });
  }
}
