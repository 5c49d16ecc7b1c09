import { defined } from '../../core/defined.ts';
import { notFound } from '../../core/errors.ts';
import { expiryTime } from '../../core/secret/rotate.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import type { HookContext } from '../context.ts';
import { secretArgument } from '../secret-arguments.ts';
import { labelledByHook, type OwnSecret, type SecretSettings } from '../secrets.ts';
import { atMost, defineTool } from '../tool.ts';

export const secretInfoGet = defineTool({
  name: 'secret-info-get',
  args: '<ID>',
  purpose: "Get a secret's metadata info.",
  output: 'yaml',
  flags: { label: { kind: 'string', help: 'A label used to identify the secret in hooks' } },
  async run({ args, flags, context }) {
    atMost(args, 1);
    if (args[0] === undefined && flags.label === '')
      throw new UsageError('require either a secret URI or label');
    const named = args[0] === undefined ? undefined : secretArgument(context, args[0]);
    const id = named ?? labelledByHook(context.changes.secrets, flags.label);
    const info = pending(context, id) ?? (await committed(context, { id, label: flags.label }));
    return { [info.id]: shown(info) };
  },
});

function pending({ changes }: HookContext, id: string | undefined): OwnSecret | undefined {
  const created = id === undefined ? undefined : changes.secrets.create.get(id);
  if (id === undefined || !created) return undefined;
  return {
    id,
    revision: 1,
    description: '',
    label: '',
    rotate: 'never',
    access: [],
    owner: created.owner,
    ...asInfo(created),
  };
}

async function committed(
  context: HookContext,
  { id, label }: { readonly id: string | undefined; readonly label: string },
): Promise<OwnSecret> {
  const [info] = await context.secrets.own(id === undefined ? { label } : { id });
  if (!info || (info.owner === 'application' && !(await context.isLeader())))
    throw notFound('secret', id ?? label);
  return { ...info, ...asInfo(context.changes.secrets.update.get(info.id) ?? {}) };
}

/**
 * Returns the settings as they will be. The end of a duration, and the next rotation, are known only once the hook is
 * committed.
 */
function asInfo({ label, description, rotate, expire = '' }: SecretSettings): Partial<OwnSecret> {
  return defined({ label, description, rotate, expires: expiryTime(expire) });
}

function shown({ revision, label, owner, description, rotate, expires, rotates, access }: OwnSecret): object {
  return {
    revision,
    label,
    owner,
    rotation: rotate,
    ...defined({
      description: description || undefined,
      expiry: expires && inSeconds(expires),
      rotates: rotates && inSeconds(rotates),
      access: access.length > 0 ? access : undefined,
    }),
  };
}

function inSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
