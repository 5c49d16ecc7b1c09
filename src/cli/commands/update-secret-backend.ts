import { allOk, call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { command, controllerFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool, commas, text } from '../flags.ts';
import { backendConfigFlag, readBackendArguments, resetOf } from '../secret-backends.ts';

export const updateSecretBackend = command({
  name: 'update-secret-backend',
  summary: 'Updates an existing secret backend on the controller.',
  usage: '<backend-name>',
  details: `Changes the configuration of a secret backend. --reset removes keys of it. The server is asked with the new
configuration before it is stored, except with --force.`,
  examples: [
    'update-secret-backend myvault --reset namespace',
    'update-secret-backend myvault token-rotate=10h endpoint=https://vault.io:8200',
    'update-secret-backend myvault --config /path/to/cfg.yaml',
    'update-secret-backend myvault name=myvault2',
  ],
  seeAlso: ['secret-backends', 'add-secret-backend', 'remove-secret-backend', 'show-secret-backend'],
  flags: {
    ...controllerFlags,
    ...backendConfigFlag,
    force: bool('--force', 'Force update even if the backend is unreachable'),
    reset: commas('--reset', 'Reset the provided comma delimited config keys'),
    newName: text('--name', 'The new backend name'),
  },
  async run(context, flags, [name, ...words]) {
    if (!name) throw new UsageError('must specify backend name');
    const { config: all, rotate } = await readBackendArguments(context, words, flags.config);
    const { name: argument, ...config } = all;
    const newName = flags.newName || (typeof argument === 'string' ? argument : '');
    const reset = resetOf(flags.reset);
    const both = reset.reset.find((key) => key in config);
    if (both !== undefined) throw new UsageError(`cannot set and reset key "${both}" simultaneously`);
    const interval = rotate ?? reset.rotate;
    if (Object.keys(config).length + flags.reset.length === 0 && newName === '' && interval === undefined)
      throw new UsageError('must specify at least one attribute to change');
    const { connection } = await context.openController(flags.controller);
    const { results } = await call(connection, 'SecretBackends', 'UpdateSecretBackends', {
      args: [
        {
          name,
          config,
          reset: reset.reset,
          force: flags.force,
          ...defined({ 'name-change': newName || undefined, 'token-rotate-interval': interval }),
        },
      ],
    });
    allOk(results, () => name);
  },
});
