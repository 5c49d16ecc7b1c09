import { command, modelFlags } from '../command.ts';
import { changeSshKeys } from '../ssh-keys.ts';

export const importSshKey = command({
  name: 'import-ssh-key',
  summary: 'Adds a public SSH key from a trusted identity source to a model.',
  usage: '<lp|gh>:<user identity> ...',
  details: `A controller of grigri fetches nothing from other services and refuses each: add-ssh-key adds the key itself. A
controller of Juju's imports them.`,
  examples: ['import-ssh-key lp:phamilton gh:iaguis'],
  seeAlso: ['add-ssh-key', 'ssh-keys'],
  flags: modelFlags,
  run: (context, { model }, keys) => changeSshKeys(context, { model, keys, method: 'ImportKeys' }),
});
