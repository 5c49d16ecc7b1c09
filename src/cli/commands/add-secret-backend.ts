import { allOk, call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { command, controllerFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { text } from '../flags.ts';
import { backendConfigFlag, readBackendArguments } from '../secret-backends.ts';

export const addSecretBackend = command({
  name: 'add-secret-backend',
  summary: 'Adds a new secret backend to the controller.',
  usage: '<backend-name> <backend-type>',
  details: `Adds a place where models may keep the contents of their secrets. The type is vault, for a HashiCorp Vault or
an OpenBao server, with these keys: endpoint, token, namespace, mount-path, ca-cert, client-cert, client-key and
tls-server-name. Certificates and the key are PEM texts; a value @path is read from that file.
token-rotate=<duration> makes the controller replace the token that often.

The server is asked before anything is stored. The token is stored encrypted, and never shown again. A model uses the
backend after model-secret-backend.`,
  examples: [
    'add-secret-backend myvault vault --config /path/to/cfg.yaml',
    'add-secret-backend myvault vault endpoint=https://vault.io:8200 token=s.1wshwhw',
    'add-secret-backend myvault vault endpoint=https://vault.io:8200 token=s.1wshwhw ca-cert=@ca.pem',
    'add-secret-backend myvault vault token-rotate=720h --config /path/to/cfg.yaml',
  ],
  seeAlso: ['secret-backends', 'remove-secret-backend', 'show-secret-backend', 'update-secret-backend'],
  flags: {
    ...controllerFlags,
    ...backendConfigFlag,
    importId: text('--import-id', 'Add the backend with the specified id'),
  },
  async run(context, { controller, config: file, importId }, [name, type, ...words]) {
    if (!name || !type) throw new UsageError('must specify backend name and type');
    const { config, rotate } = await readBackendArguments(context, words, file);
    if (Object.keys(config).length === 0) throw new UsageError('missing backend config');
    const { connection } = await context.openController(controller);
    const { results } = await call(connection, 'SecretBackends', 'AddSecretBackends', {
      args: [
        {
          name,
          'backend-type': type,
          config,
          ...defined({ id: importId || undefined, 'token-rotate-interval': rotate }),
        },
      ],
    });
    allOk(results, () => name);
  },
});
