import { JujuError } from '../../core/errors.ts';
import type { Flags, Tool } from '../tool.ts';

const label = { kind: 'string', help: 'A label used to identify the secret in hooks' } as const;
const secretContent = {
  label,
  description: { kind: 'string', help: 'The secret description' },
  rotate: { kind: 'string', help: 'The secret rotation policy' },
  expire: { kind: 'string', help: 'Either a duration or time when the secret should expire' },
  owner: { kind: 'string', default: 'application', help: 'The owner of the secret, application or unit' },
  file: { kind: 'string', help: 'A YAML file containing secret key values' },
} as const satisfies Flags;
const relation = {
  kind: 'string',
  short: 'r',
  help: 'The relation with which to associate the grant',
} as const;
const unit = { kind: 'string', help: 'The unit to which the grant applies' } as const;
const output = {
  format: { kind: 'string', default: 'smart', help: 'Specify output format (json|smart|yaml)' },
  output: { kind: 'string', short: 'o', help: 'Specify an output file' },
} as const satisfies Flags;

const list: readonly [name: string, args: string, purpose: string, flags: Flags, what: string][] = [
  ['resource-get', '<resource name>', 'Get the path to the locally cached resource file.', {}, 'resources'],
  [
    'storage-get',
    '[<key>]',
    'Print information for the storage instance with the specified ID.',
    { s: { kind: 'string', short: 's', help: 'Specify a storage instance by id' }, ...output },
    'storage',
  ],
  ['storage-add', '<charm storage name>[=count] ...', 'Add storage instances.', {}, 'storage'],
  ['secret-add', '[key[#base64|#file]=value...]', 'Add a new secret.', secretContent, 'secrets'],
  ['secret-set', '<ID> [key[#base64]=value...]', 'Update an existing secret.', secretContent, 'secrets'],
  [
    'secret-get',
    '<ID> [key[#base64]]',
    'Get the content of a secret.',
    {
      label,
      peek: { kind: 'bool', help: 'Get the latest revision just this time' },
      refresh: {
        kind: 'bool',
        help: 'Get the latest revision and also get this same revision for subsequent calls',
      },
      ...output,
    },
    'secrets',
  ],
  ['secret-info-get', '<ID>', "Get a secret's metadata info.", { label, ...output }, 'secrets'],
  ['secret-grant', '<ID>', 'Grant access to a secret.', { relation, unit }, 'secrets'],
  [
    'secret-revoke',
    '<ID>',
    'Revoke access to a secret.',
    { relation, unit, app: { kind: 'string', help: 'Revoke access from all units in that application' } },
    'secrets',
  ],
  [
    'secret-remove',
    '<ID>',
    'Remove an existing secret.',
    { revision: { kind: 'string', default: '0', help: 'Remove the specified revision' } },
    'secrets',
  ],
  [
    'add-metric',
    '<key>=<value> ...',
    'Add metrics.',
    { labels: { kind: 'string', short: 'l', help: 'Labels to be associated with metric values' } },
    'metrics',
  ],
];

const readers = new Set(['secret-get', 'secret-info-get']);

/** Tools that charms expect on their PATH, for features that models of this controller do not have. */
export const unsupportedTools: readonly Tool[] = list.map(([name, args, purpose, flags, what]) => ({
  name,
  args,
  purpose,
  flags,
  run: ({ args, flags }) => {
    // Charms ask whether a secret exists yet, and their libraries look for this text.
    if (readers.has(name))
      throw new JujuError('not found', `secret "${args[0] ?? flags['label']}" not found`);
    throw new JujuError('not supported', `${name} is not supported: this controller has no ${what}`);
  },
}));
