import { command } from '../command.ts';
import { debugUnit } from '../ssh/debug.ts';
import { ptyFlag, sshFlags } from './ssh.ts';

export const debugHooks = command({
  name: 'debug-hooks',
  summary: 'Launches a tmux session to debug hooks and/or actions.',
  usage: '<unit name> [hook or action names]',
  details: `Opens a tmux session on the unit's machine. Each of the named hooks and actions (all, without a name or with *) gets a
window in it, with the environment and the tools of the hook, and nothing runs by itself: the window's exit code is the hook's. Other
hooks run as ever, and so do those of other units. When the session is left, hooks run by themselves again; one that had no exit code
has failed. tmux must be installed on the machine.`,
  examples: [
    'debug-hooks mysql/0',
    'debug-hooks mysql/leader config-changed',
    'debug-hooks mysql/0 update-status backup',
  ],
  seeAlso: ['debug-code', 'resolved', 'ssh'],
  completes: ['unit'],
  flags: { ...sshFlags, pty: ptyFlag },
  run: (context, flags, args) => debugUnit(context, flags, { args }),
});
