import { afterEach, expect, test } from 'vitest';
import { providers } from './index.ts';
import { machinesElsewhere } from './contract/machine-traits.ts';
import { containerTraits, traitsOf } from './machines.ts';

const { container } = process.env;

afterEach(() => {
  if (container === undefined) delete process.env['container'];
  else process.env['container'] = container;
});

test.each([...providers.values()])(
  'Agents know of $type what the provider says of its machines',
  (provider) => {
    expect(traitsOf(provider.type)).toEqual(provider.machines ?? machinesElsewhere);
  },
);

test('Machines of an external provider have the traits of separate computers', () => {
  expect(traitsOf('somewhere')).toBe(machinesElsewhere);
});

test('A container on a machine has no containers, whatever the machine is', () => {
  expect(containerTraits).not.toHaveProperty('nested');
  expect(containerTraits).toMatchObject({ beginsAsHost: true });
});

test('A sandbox reboots, a local machine that is only a process does not', () => {
  const { reboots } = traitsOf('local');
  delete process.env['container'];
  expect(reboots?.({ isInstalled: true })).toBe(false);
  process.env['container'] = 'lxc';
  expect(reboots?.({ isInstalled: true })).toBe(false);
  process.env['container'] = 'grigri';
  expect(reboots?.({ isInstalled: false })).toBe(true);
});

test('A machine on which the agent was not installed does not reboot', () => {
  expect(machinesElsewhere.reboots?.({ isInstalled: false })).toBe(false);
});
