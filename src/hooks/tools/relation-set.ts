import { JujuError } from '../../core/errors.ts';
import { relationFlag, relationOf } from '../relation-of.ts';
import { parseSettings } from '../settings-file.ts';
import { defineTool, keyValues } from '../tool.ts';

export const relationSet = defineTool({
  name: 'relation-set',
  args: '<key>=<value> [<key>=<value> ...]',
  purpose: 'Set relation settings. An empty value removes the key.',
  flags: {
    relation: relationFlag,
    app: { kind: 'bool', help: 'Set the settings of the whole application; for the leader only' },
    file: { kind: 'file', help: 'File with a YAML map of keys and values, or - for standard input' },
    format: { kind: 'string', help: 'Deprecated, does nothing' },
  },
  async run({ args, flags, context }) {
    const fromArgs = keyValues(args);
    const relation = relationOf(context, flags.relation);
    if (flags.app && !(await context.isLeader())) throw new JujuError('', 'cannot write relation settings');
    const values = [...(flags.file === undefined ? [] : parseSettings(flags.file)), ...fromArgs];
    const { relationSettings } = context.changes;
    let bags = relationSettings.get(relation.id);
    if (!bags) relationSettings.set(relation.id, (bags = { unit: new Map(), app: new Map() }));
    for (const [key, value] of values) (flags.app ? bags.app : bags.unit).set(key, value);
  },
});
