import { parseBase } from '../../core/base.ts';
import { isMachineId } from '../../core/names.ts';
import { allOk, call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { checkedConstraints } from '../../operate/constraints.ts';
import { readConstraints } from '../constraints.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { int, list, text } from '../flags.ts';
import { parsePlacements } from '../placements.ts';
import { defined } from '../../core/defined.ts';

export const addMachine = command({
  name: 'add-machine',
  summary: 'Provision a new machine or assign one to the model.',
  usage: '[<container-type>[:<machine-id>] | ssh:[<user>@]<host> | <placement>]',
  details: `Without an argument a new machine is started in the model's cloud. -n starts several. lxd:1 makes a
container on machine 1, lxd one on a new machine. A placement is what the cloud understands (zone=z1).
ssh:user@host takes a computer that runs already, in a model of any cloud: it is looked at over ssh, the user ubuntu
is made there for the client's key, and the agent is installed. sudo may ask for a password. The host's key is kept
in ssh/known_hosts of the client's files, and no other is taken later. See docs/manual-machines.md.

The machine has these constraints over the model's, wherever it is placed; how it is placed is said by
the argument, and not by the constraint container. Units go to it with --to, or with --reuse-machines.`,
  examples: [
    'add-machine',
    'add-machine -n 2',
    'add-machine --constraints mem=8G',
    'add-machine lxd:1',
    'add-machine zone=us-east-1a',
    'add-machine ssh:root@10.0.0.7',
    'add-machine ssh:ubuntu@host:2222 --private-key ~/.ssh/other',
  ],
  seeAlso: ['add-unit', 'remove-machine', 'retry-provisioning', 'set-model-constraints'],
  flags: {
    ...modelFlags,
    base: text('--base', 'The operating system base to install on the new machine(s)'),
    constraints: list('--constraints', 'Machine constraints that overwrite those available from the model'),
    disks: list('--disks', 'Storage constraints for disks to attach to the machine(s)'),
    number: int('-n', 'The number of machines to add', 1),
    privateKey: text('--private-key', 'Path to the private key to use during the connection'),
    publicKey: text('--public-key', 'Path to the public key to add to the remote authorized keys'),
  },
  async run(context, flags, args) {
    const [where, ...rest] = args;
    noMoreArgs(rest);
    if (flags.number < 1) throw new UsageError('-n must be a positive integer');
    if (where && isMachineId(where))
      throw new UsageError('machine-id cannot be specified when adding machines');
    if (where && flags.number > 1) throw new UsageError('cannot use -n when specifying a placement');
    const asked = readConstraints(flags.constraints);
    const enlisted = /^ssh:(.*)$/s.exec(where ?? '')?.[1];
    if (enlisted !== undefined && flags.base)
      throw new UsageError('cannot use --base with ssh: the host has the base that it has');
    const { connection, modelUuid } = await context.openModel(flags.model);
    if (enlisted !== undefined) {
      const { enlist } = await import('../enlist.ts');
      const constraints = await checkedConstraints(context.operator(), connection, asked);
      const { privateKey, publicKey } = flags;
      const machine = await enlist(context, connection, {
        where: enlisted,
        constraints,
        privateKey,
        publicKey,
      });
      context.info(`created machine ${machine}`);
      return;
    }
    const placement = where ? parsePlacements([where], modelUuid)[0]! : undefined;
    const constraints = await checkedConstraints(context.operator(), connection, asked);
    const { machines } = await call(connection, 'MachineManager', 'AddMachines', {
      params: Array.from({ length: flags.number }, () => ({
        ...defined({ base: flags.base ? { ...parseBase(flags.base) } : undefined }),
        constraints,
        jobs: ['JobHostUnits'],
        'parent-id': '',
        'container-type': '',
        'instance-id': '',
        nonce: '',
        ...defined({ placement }),
      })),
    });
    for (const { machine, error } of machines) {
      if (!error) context.info(`created ${machine.includes('/') ? 'container' : 'machine'} ${machine}`);
    }
    allOk(machines, (i) => `machine ${i + 1} of ${machines.length}`);
  },
});
