import { command } from '../command.ts';
import { text } from '../flags.ts';
import { debugUnit } from '../ssh/debug.ts';
import { ptyFlag, sshFlags } from './ssh.ts';

export const debugCode = command({
  name: 'debug-code',
  summary: 'Launches a tmux session to debug hooks and/or actions.',
  usage: '<unit name> [hook or action names]',
  details: `As debug-hooks, but the hook or action runs, in a window of the tmux session on the unit's machine, with JUJU_DEBUG_AT set
to what --at says. The ops framework stops there in its debugger: at every observed event (all), at the beginning of a handler (hook), or
at a breakpoint of that name in the charm's code.`,
  examples: ['debug-code mysql/0', 'debug-code --at=hook mysql/leader config-changed'],
  seeAlso: ['debug-hooks', 'ssh'],
  completes: ['unit'],
  flags: {
    ...sshFlags,
    pty: ptyFlag,
    at: text('--at', 'Interpreted by the charm for where you want to stop, defaults to "all"', {
      default: 'all',
    }),
  },
  run: (context, { at, ...flags }, args) => debugUnit(context, flags, { args, at }),
});
