/** Arguments of commands about users that are refused, and so change nothing: the tests share one controller. */
import { describe, expect, test } from 'vitest';
import { cli, prepareCli, succeed } from '../testing/cli-world.ts';

prepareCli(async () => {
  await succeed('add-user bob');
  await succeed('revoke bob login');
});

test.each(['', 'MFATA3JvZDAn', '%%%'])('register refuses the token %j', async (text) => {
  const run = await cli.run(['register', text], { input: 'x\nx\n\n' });
  expect(run.code).not.toBe(0);
  expect(run.stderr).toMatch(/registration data missing|invalid registration token/);
});

describe('arguments of grant and revoke', () => {
  test.each([
    ['grant', 2, 'no user specified'],
    ['grant bob', 2, 'no permission level specified'],
    ['grant bob read', 1, '"read" is an access to models'],
    ['grant bob fly', 1, '"fly" controller access not valid'],
    ['grant bob fly shared', 1, '"fly" model access not valid'],
    ['grant mary login', 1, 'user "mary" does not exist locally'],
    ['grant bob read nowhere', 1, 'model ctrl:admin/nowhere not found'],
    ['grant bob read shared.db', 1, 'model "admin/shared" not found'],
    ['grant bob write shared.db', 1, '"write" offer access not valid'],
    ['grant bob read shared.db shared', 2, 'either specify model names or offer URLs but not both'],
    ['revoke bob superuser', 1, 'controller user "bob" does not exist'],
    ['grant-cloud bob admin', 2, 'no cloud specified'],
    ['grant-cloud bob read test', 1, '"read" cloud access not valid'],
    ['revoke-cloud bob admin test', 1, 'cloud user "bob" does not exist'],
  ])('%s', async (line, code, message) => {
    const run = await cli.run(line);
    expect(run.stderr).toContain(message);
    expect(run.code).toBe(code);
  });
});
