import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { JujuError } from '../../core/errors.ts';
import type { AttributeSchema, CloudSpec, Credential, Provider } from '../../providers/contract/provider.ts';
import type { CommandContext } from '../context.ts';
import { cloudFiles, detect } from './client-clouds.ts';
import type { ClientCloud, NamedCredential } from './cloud.ts';

/**
 * The credential that is used for a cloud: the one named; else the default, or the only one, of credentials.yaml; else the
 * only one that is found on this computer; else none, where the cloud takes that. It is as the file has it: see
 * finalizeCredential. Errors: `not found`, and when it is not clear which one.
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

/** What the provider finds for this cloud, by name. */
async function detected(
  context: CommandContext,
  cloud: ClientCloud,
  provider: Provider,
): Promise<ReadonlyMap<string, Credential & { readonly label: string }>> {
  const names = new Set([cloud.name]);
  // A built-in cloud is found under one of its names.
  if (cloud.defined === 'built-in' && provider.builtinCloud?.name === cloud.name)
    for (const alias of provider.builtinCloud.aliases ?? []) names.add(alias);
  const clouds = (await detect(context, provider)).filter((one) => names.has(one.name));
  return new Map(clouds.flatMap((one) => Object.entries(one.credentials)));
}

/**
 * As it is kept and sent: files read, attributes checked, and what the provider makes of it (a trust token becomes a
 * certificate). Errors: `not valid`, ProviderError.
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

/**
 * finalizeCredential of one that the client's file may have: what is good once is replaced there by what came of it.
 */
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

/** Errors: `not valid` names what is missing or unknown, and no value. */
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

/** `client-cert: /path`, or `client-cert-file: path`, as what is in the file. */
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
