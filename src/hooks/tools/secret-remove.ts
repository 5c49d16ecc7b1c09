import { UsageError } from '../../kit/gnuflag.ts';
import { checkLeads, secretArgument } from '../secret-arguments.ts';
import { atMost, defineTool } from '../tool.ts';
import { defined } from '../../core/defined.ts';

export const secretRemove = defineTool({
  name: 'secret-remove',
  args: '<ID>',
  purpose: 'Remove an existing secret.',
  flags: { revision: { kind: 'string', default: '0', help: 'Remove the specified revision' } },
  async run({ args, flags, context }) {
    atMost(args, 1);
    const id = secretArgument(context, args[0]);
    if (!/^\d{1,9}$/.test(flags.revision))
      throw new UsageError(
        `invalid value ${JSON.stringify(flags.revision)} for option --revision: parse error`,
      );
    const revision = Number(flags.revision) || undefined;
    await checkLeads(context, id);
    const { create, update, grant, revoke, track, remove, dropped } = context.changes.secrets;
    // Secrets are removed whole once, and their revisions with them.
    if (dropped.has(id)) return;
    if (remove.some((one) => one.id === id && (one.revision === undefined || one.revision === revision)))
      return;
    const isAdded = create.has(id);
    if (revision === undefined || (isAdded && revision === 1)) {
      update.delete(id);
      track.delete(id);
      for (const list of [grant, revoke, remove] as { id: string }[][])
        list.splice(0, list.length, ...list.filter((one) => one.id !== id));
    }
    if (isAdded) {
      // A secret that this hook has added has one revision, which is in no store yet.
      if ((revision ?? 1) === 1 && create.delete(id)) dropped.add(id);
      return;
    }
    remove.push({ id, ...defined({ revision }) });
  },
});
