import { baseOfFlags, seriesFlag } from '../base-flags.ts';
import { isMachineId } from '../../core/names.ts';
import { parseDirective } from '../../core/storage/directive.ts';
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
  details: `Without an argument, a new machine is started in the model's cloud; -n starts several. lxd:1 creates a
container on machine 1, and lxd a container on a new machine. A placement is a directive of the cloud (zone=z1).

ssh:user@host adds an existing host, in a model of any cloud: grigri inspects it over SSH, creates the user ubuntu
with the client's key, and installs the agent. sudo may ask for a password. The host key is stored in ssh/known_hosts
among the client's files, and no other key is accepted later. See docs/manual-machines.md.

The constraints are added to those of the model and apply whatever the placement is. The argument sets the placement;
the constraint "container" does not. To place units on the machine, use --to or --reuse-machines.`,
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
    ...seriesFlag,
    publicKey: text('--public-key', 'Path to the public key to add to the remote authorized keys'),
  },
  async run(context, flags, args) {
    const [placementArg, ...moreArgs] = args;
    noMoreArgs(moreArgs);
    if (flags.number < 1) throw new UsageError('-n must be a positive integer');
    if (placementArg && isMachineId(placementArg))
      throw new UsageError('machine-id cannot be specified when adding machines');
    if (placementArg && flags.number > 1) throw new UsageError('cannot use -n when specifying a placement');
    const disks = disksOf(flags.disks);
    const requestedConstraints = readConstraints(flags.constraints);
    const enlistedLogin = /^ssh:(.*)$/s.exec(placementArg ?? '')?.[1];
    const base = baseOfFlags(flags);
    if (enlistedLogin !== undefined && base)
      throw new UsageError('cannot use --base with ssh: the base is that of the host');
    if (enlistedLogin !== undefined && disks.length > 0)
      throw new UsageError('cannot use --disks with ssh: the disks are those of the host');
    const { connection, modelUuid } = await context.openModel(flags.model);
    if (enlistedLogin !== undefined) {
      const { enlist } = await import('../enlist.ts');
      const constraints = await checkedConstraints(context.operator(), connection, requestedConstraints);
      const { privateKey, publicKey } = flags;
      const machine = await enlist(context, connection, {
        login: enlistedLogin,
        constraints,
        privateKey,
        publicKey,
      });
      context.info(`created machine ${machine}`);
      return;
    }
    const placement = placementArg ? parsePlacements([placementArg], modelUuid)[0]! : undefined;
    const constraints = await checkedConstraints(context.operator(), connection, requestedConstraints);
    const { machines } = await call(connection, 'MachineManager', 'AddMachines', {
      params: Array.from({ length: flags.number }, () => ({
        ...defined({ base: base && { ...base } }),
        constraints,
        ...(disks.length > 0 && { disks }),
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

/** Returns the directives of disks: one flag may have several, as Juju's clients send them. Errors: `not valid`. */
function disksOf(flags: readonly string[]): object[] {
  return flags
    .flatMap((text) => text.split(/\s+/).filter((one) => one !== ''))
    .map((text) => parseDirective(text, 'disks'))
    .map(({ pool = '', size = 0, count = 1 }) => ({ Pool: pool, Size: size, Count: count }));
}
