import { JujuError, notFound } from '../../core/errors.ts';
import type { SecretContent } from '../../core/secret/content.ts';
import { readSecretUri } from '../../core/secret/secret-id.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import type { HookContext } from '../context.ts';
import { readableArgument } from '../secret-arguments.ts';
import { labelledByHook } from '../secrets.ts';
import { atMost, defineTool } from '../tool.ts';

export const secretGet = defineTool({
  name: 'secret-get',
  args: '<ID> [key[#base64]]',
  purpose: 'Get the content of a secret.',
  output: 'yaml',
  flags: {
    label: { kind: 'string', help: 'A label used to identify the secret in hooks' },
    peek: { kind: 'bool', help: 'Get the latest revision just this time' },
    refresh: {
      kind: 'bool',
      help: 'Get the latest revision and also get this same revision for subsequent calls',
    },
  },
  async run({ args, flags, context }) {
    const { label, peek, refresh } = flags;
    // Labels given with a first argument that is no URI make that argument the key.
    const named = args[0] !== undefined && (label === '' || readSecretUri(args[0]) !== undefined);
    const id = named ? readableArgument(context, args[0]) : '';
    if (id === '' && label === '') throw new UsageError('require either a secret URI or label');
    if (peek && refresh) throw new UsageError('specify one of --peek or --refresh but not both');
    atMost(args, named ? 2 : 1);
    const content = await read(context, { id, label, peek, refresh });
    context.mask.add(content);
    const key = args[named ? 1 : 0];
    return key === undefined ? texts(content) : valueOf(content, key);
  },
});

interface Reading {
  readonly id: string;
  readonly label: string;
  readonly peek: boolean;
  readonly refresh: boolean;
}

/**
 * Reads a secret with the hook's own changes: a secret that it adds at once, a new revision by peek or refresh only
 * (secrets.md#in-a-hook).
 */
async function read(context: HookContext, reading: Reading): Promise<SecretContent> {
  const { create, update, track } = context.changes.secrets;
  const { label, peek, refresh } = reading;
  const pendingId = reading.id === '' ? labelledByHook(context.changes.secrets, label) : reading.id;
  const created = pendingId === undefined ? undefined : create.get(pendingId);
  if (created) {
    if (reading.id !== '' && label !== '') create.set(reading.id, { ...created, label });
    return created.content;
  }
  const content = pendingId === undefined ? undefined : update.get(pendingId)?.content;
  if (content && (peek || refresh)) {
    if (refresh) track.add(pendingId!);
    return content;
  }
  return (
    await context.secrets.read(
      reading.id === '' && pendingId !== undefined ? { ...reading, id: pendingId, label: '' } : reading,
    )
  ).content;
}

function texts(content: SecretContent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

function valueOf(content: SecretContent, argument: string): string {
  const key = argument.replace(/#base64$/, '');
  if (!Object.hasOwn(content, key)) throw notFound('secret key value', key);
  const value = content[key]!;
  if (key !== argument) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'base64'));
  } catch (cause) {
    throw new JujuError('', `value of secret key "${key}" is not text: use ${key}#base64`, { cause });
  }
}
