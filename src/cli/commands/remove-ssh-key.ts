import { command, modelFlags } from '../command.ts';
import { changeSshKeys } from '../ssh-keys.ts';

export const removeSshKey = command({
  name: 'remove-ssh-key',
  summary: 'Removes a public SSH key (or keys) from a model.',
  usage: '<ssh key id> ...',
  details: `A key is named by its fingerprint, as ssh-keys shows it, or by its comment. It is taken away from the machines of
the model, unless somebody else had put it there. The last key cannot be removed.`,
  examples: [
    'remove-ssh-key 45:7f:33:2c:10:4e:6c:14:e3:a1:a4:c8:b2:e1:34:b4',
    'remove-ssh-key bob@ubuntu carol@ubuntu',
  ],
  seeAlso: ['ssh-keys', 'add-ssh-key'],
  flags: modelFlags,
  run: (context, { model }, keys) => changeSshKeys(context, { model, keys, method: 'DeleteKeys' }),
});
