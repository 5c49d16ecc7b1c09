/** Refused commands about secret backends, with one controller that has none. */
import { expect, test } from 'vitest';
import { cli, prepareCli, succeed } from '../testing/cli-world.ts';

prepareCli(async () => {
  await succeed('add-model shop');
});

test.each([
  ['add-secret-backend myvault', 'must specify backend name and type'],
  ['add-secret-backend myvault vault', 'missing backend config'],
  ['add-secret-backend internal vault endpoint=http://x', 'backend name "internal" not valid'],
  ['add-secret-backend myvault nowhere endpoint=http://x', 'secret backend type "nowhere" not found'],
  ['add-secret-backend myvault vault token=x', 'endpoint: expected string, got nothing'],
  ['add-secret-backend myvault vault endpoint=ftp://x', 'endpoint: expected an http or https URL'],
  ['add-secret-backend myvault vault endpoint=http://x colour=red', 'unknown key "colour"'],
  ['add-secret-backend myvault vault endpoint=http://x client-cert=c', 'vault config missing client key'],
  [
    'add-secret-backend myvault vault endpoint=http://x token=t token-rotate=1m',
    'token rotate interval less than 1h',
  ],
  ['add-secret-backend myvault vault endpoint=http://x token-rotate=soon', 'invalid token rotate interval'],
  [
    'add-secret-backend myvault vault endpoint=http://127.0.0.1:1 token=t',
    'secret backend "myvault" cannot be reached',
  ],
  ['update-secret-backend myvault endpoint=http://x', 'secret backend "myvault" not found'],
  ['update-secret-backend myvault', 'must specify at least one attribute to change'],
  ['remove-secret-backend', 'must specify backend name'],
  ['show-secret-backend myvault', 'secret backend "myvault" not found'],
  ['model-secret-backend myvault', 'secret backend "myvault" not found'],
  ['add-model other --config secret-backend=myvault', 'secret backend "myvault" not found'],
])('%s is refused: %s', async (line, message) => {
  const { code, stderr } = await cli.run(line);
  expect(stderr).toContain(message);
  expect(code).not.toBe(0);
});
