import { command, modelFlags } from '../command.ts';
import { changeSshKeys } from '../ssh-keys.ts';

export const addSshKey = command({
  name: 'add-ssh-key',
  summary: 'Adds a public SSH key to a model.',
  usage: '<ssh key> ...',
  details: `Each argument is a line as in ~/.ssh/id_ed25519.pub, quoted. The machines of the model that run take the key at
once; those that are started later have it from the beginning. Other lines of their authorized_keys stay.`,
  examples: ['add-ssh-key "$(cat ~/mykey.pub)"'],
  seeAlso: ['ssh-keys', 'remove-ssh-key'],
  flags: modelFlags,
  run: (context, { model }, keys) => changeSshKeys(context, { model, keys, method: 'AddKeys' }),
});
