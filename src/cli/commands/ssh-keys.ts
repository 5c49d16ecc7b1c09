import { call, only } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';

export const sshKeys = command({
  name: 'ssh-keys',
  summary: 'Lists the currently known SSH keys for the current (or specified) model.',
  details: `The keys may log in as user ubuntu to all machines of the model. Fingerprints are shown (MD5), by which
remove-ssh-key knows a key; whole keys with --full. The key of this client is not listed.`,
  examples: ['ssh-keys', 'ssh-keys -m jujutest --full'],
  seeAlso: ['add-ssh-key', 'remove-ssh-key'],
  flags: { ...modelFlags, full: bool('--full', 'Show full key instead of just the fingerprint') },
  async run(context, flags, args) {
    noMoreArgs(args);
    const { connection, user, model } = await context.openModel(flags.model);
    const { results } = await call(connection, 'KeyManager', 'ListKeys', {
      entities: { entities: [{ tag: user }] },
      mode: flags.full,
    });
    const keys = only(results).result ?? [];
    if (keys.length === 0) return context.info('No keys to display.');
    await context.write(`Keys used in model: ${model}\n${keys.map((key) => `${key}\n`).join('')}`);
  },
});
