import { UsageError } from '../../kit/gnuflag.ts';
import { notLeader, secretContentOf, secretFlags, secretSettings } from '../secret-arguments.ts';
import { defineTool } from '../tool.ts';

export const secretAdd = defineTool({
  name: 'secret-add',
  args: '[key[#base64|#file]=value...]',
  purpose: 'Add a new secret.',
  output: 'smart',
  flags: secretFlags,
  async run({ args, flags, context, readBytes }) {
    const { owner } = flags;
    if (owner !== 'application' && owner !== 'unit')
      throw new UsageError(`secret owner ${JSON.stringify(owner)} not valid`);
    const settings = secretSettings(flags);
    const content = await secretContentOf(args, flags.file, readBytes);
    if (!content) throw new UsageError('missing secret value or filename');
    if (owner === 'application' && !(await context.isLeader())) throw notLeader();
    context.mask.add(content);
    const id = await context.secrets.newId();
    context.changes.secrets.create.set(id, { ...settings, owner, content });
    return `secret://${context.model.uuid}/${id}`;
  },
});
