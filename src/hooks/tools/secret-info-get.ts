import { defined } from '../../core/defined.ts';
import { notFound } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import type { HookContext } from '../context.ts';
import { secretArgument } from '../secret-arguments.ts';
import type { OwnSecret } from '../secrets.ts';
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
    const id = args[0] === undefined ? '' : secretArgument(context, args[0]);
    const info = pending(context, id, flags.label) ?? (await committed(context, id, flags.label));
    return { [info.id]: shown(info) };
  },
});

function pending({ changes }: HookContext, id: string, label: string): OwnSecret | undefined {
  for (const [created, { content: _, expire: _expire, ...settings }] of changes.secrets.create)
    if (created === id || (id === '' && settings.label === label))
      return {
        id: created,
        revision: 1,
        description: '',
        label: '',
        rotate: 'never',
        access: [],
        ...settings,
      };
  return undefined;
}

async function committed(context: HookContext, id: string, label: string): Promise<OwnSecret> {
  const [info] = await context.secrets.own(id === '' ? { label } : { id });
  if (!info || (info.owner === 'application' && !(await context.isLeader())))
    throw notFound('secret', id || label);
  const { content: _, expire: _expire, ...change } = context.changes.secrets.update.get(info.id) ?? {};
  return { ...info, ...change };
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
