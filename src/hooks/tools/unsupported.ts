import { JujuError } from '../../core/errors.ts';
import type { Flags, Tool } from '../tool.ts';

const output = {
  format: { kind: 'string', default: 'smart', help: 'Specify output format (json|smart|yaml)' },
  output: { kind: 'string', short: 'o', help: 'Specify an output file' },
} as const satisfies Flags;

const list: readonly [name: string, args: string, purpose: string, flags: Flags, what: string][] = [
  [
    'storage-get',
    '[<key>]',
    'Print information for the storage instance with the specified ID.',
    { s: { kind: 'string', short: 's', help: 'Specify a storage instance by id' }, ...output },
    'storage',
  ],
  ['storage-add', '<charm storage name>[=count] ...', 'Add storage instances.', {}, 'storage'],
];

/** Tools that charms expect on their PATH, for features that models of this controller do not have. */
export const unsupportedTools: readonly Tool[] = list.map(([name, args, purpose, flags, what]) => ({
  name,
  args,
  purpose,
  flags,
  run: () => {
    throw new JujuError('not supported', `${name} is not supported: this controller has no ${what}`);
  },
}));
