import { expect, test } from 'vitest';
import { cli, prepareCli } from '../testing/cli-world.ts';

prepareCli(async () => {
  expect(await cli.run('add-model shop')).toMatchObject({ code: 0 });
});

test.each([
  ['add-machine --disks loop,1,8M', 1, 'adding disks to a machine is not supported'],
  ['add-machine --disks 8M --disks 2,loop', 1, 'adding disks to a machine is not supported'],
  ['add-machine --disks loop,', 1, 'storage "disks": empty part in "loop,"'],
  ['add-machine ssh:host --disks 8M', 2, 'cannot use --disks with ssh'],
])('%s ends with %i: %s, and adds no machine', async (line, code, message) => {
  const refused = await cli.run(line);
  expect(refused).toMatchObject({ code });
  expect(refused.stderr).toContain(message);
  expect((await cli.run('machines --format json')).stdout).toContain('"machines":{}');
});
