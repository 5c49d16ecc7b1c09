import { defined } from '../core/defined.ts';
import { JujuError } from '../core/errors.ts';
import { checkContent, type SecretContent } from '../core/secret/content.ts';
import { parseExpiry, parseRotatePolicy } from '../core/secret/rotate.ts';
import { joinSecretKey, parseSecretUri, type SecretUri } from '../core/secret/secret-id.ts';
import { UsageError } from '../kit/gnuflag.ts';
import type { HookContext } from './context.ts';
import type { SecretSettings } from './secrets.ts';
import { parseSettings } from './settings-file.ts';
import { keyValues, type Flags } from './tool.ts';

export const secretFlags = {
  label: { kind: 'string', help: 'A label used to identify the secret in hooks' },
  description: { kind: 'string', help: 'The secret description' },
  rotate: { kind: 'string', help: 'The secret rotation policy' },
  expire: { kind: 'string', help: 'Either a duration or time when the secret should expire' },
  owner: {
    kind: 'string',
    default: 'application',
    help: 'The owner of the secret, either the application or unit',
  },
  file: { kind: 'file', help: 'A YAML file containing secret key values' },
} as const satisfies Flags;

type Given = {
  readonly label: string;
  readonly description: string;
  readonly rotate: string;
  readonly expire: string;
};

/** Settings of a secret by its flags; members that were not given are absent. Errors: UsageError. */
export function secretSettings({ label, description, rotate, expire }: Given): SecretSettings {
  return asUsage(() => {
    // A time in the past is accepted, as the secret then expires at once; the instant is the controller's.
    parseExpiry(expire, new Date(0).toISOString());
    return defined({
      label: label || undefined,
      description: description || undefined,
      rotate: parseRotatePolicy(rotate),
      expire: expire || undefined,
    });
  });
}

/**
 * Reads the content of `key=value`, `key#base64=value` and `key#file=path` arguments; a file of keys and values
 * replaces the arguments. Undefined = no content was given. Errors: UsageError, JujuError.
 */
export async function secretContentOf(
  args: readonly string[],
  file: string | undefined,
  readBytes: (path: string) => Promise<Buffer>,
): Promise<SecretContent | undefined> {
  const pairs = file === undefined ? keyValues(args) : parseSettings(file);
  if (pairs.size === 0) return undefined;
  const content: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const [, key, form] = /^(.*?)(?:#(base64|file))?$/s.exec(name)!;
    content[key!] =
      form === 'base64'
        ? value
        : (form === 'file' ? await readBytes(value) : Buffer.from(value)).toString('base64');
  }
  checkContent(content);
  return content;
}

/** Returns the id of a secret that an argument names. Errors: UsageError; `not found` for a secret of another model. */
export function secretArgument(context: HookContext, text: string | undefined): string {
  const { id, model } = uriArgument(context, text);
  if (model !== undefined) throw new JujuError('not found', `secret "${text}" not found`);
  return id;
}

/** Returns the key of a secret that an argument names, which may be of another model. Errors: UsageError. */
export function readableArgument(context: HookContext, text: string | undefined): string {
  return joinSecretKey(uriArgument(context, text));
}

function uriArgument(context: HookContext, text: string | undefined): SecretUri {
  if (text === undefined) throw new UsageError('missing secret URI');
  const { id, model } = asUsage(() => parseSecretUri(text));
  return model === undefined || model === context.model.uuid ? { id } : { id, model };
}

/**
 * Refuses changes of the application's secrets by a unit that does not lead; other changes are refused at the commit.
 */
export async function checkLeads(context: HookContext, id: string): Promise<void> {
  const pending = context.changes.secrets.create.get(id);
  if (pending) return;
  const [own] = await ifFound(context.secrets.own({ id }));
  if (own?.owner === 'application' && !(await context.isLeader())) throw notLeader();
}

export function notLeader(): JujuError {
  return new JujuError('not leader', 'this unit is not the leader');
}

async function ifFound<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof JujuError && error.code === 'not found') return [];
    throw error;
  }
}

function asUsage<T>(fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    if (error instanceof JujuError) throw new UsageError(error.message);
    throw error;
  }
}
