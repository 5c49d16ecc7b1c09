import { defined } from '../../core/defined.ts';
import {
  checkLeads,
  secretArgument,
  secretContentOf,
  secretFlags,
  secretSettings,
} from '../secret-arguments.ts';
import { defineTool } from '../tool.ts';

export const secretSet = defineTool({
  name: 'secret-set',
  args: '<ID> [key[#base64|#file]=value...]',
  purpose: 'Update an existing secret.',
  flags: secretFlags,
  async run({ args: [uri, ...pairs], flags, context, readBytes }) {
    const id = secretArgument(context, uri);
    const settings = secretSettings(flags);
    const content = await secretContentOf(pairs, flags.file, readBytes);
    if (content) context.mask.add(content);
    await checkLeads(context, id);
    const { create, update } = context.changes.secrets;
    const change = { ...settings, ...defined({ content }) };
    const created = create.get(id);
    if (created) create.set(id, { ...created, ...change });
    else update.set(id, { ...update.get(id), ...change });
  },
});
