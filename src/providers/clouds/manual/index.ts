import { notValid } from '../../../core/errors.ts';
import { createLocks } from '../../../kit/locks.ts';
import type { Environ, Provider } from '../../contract/provider.ts';
import { authTypes, boilerplate, configSchema, constraints, validate } from './config.ts';
import { enterHost } from './host.ts';
import { HostInstances, type Access } from './instances.ts';

/**
 * Creates the provider of existing computers that become machines over ssh. In a controller the provider starts none:
 * clients enlist them (machines.md#enlistment), and their agents clean them up. `access`: with keys for the hosts,
 * machines can also be started with the placement `ssh:user@host`.
 */
export function createManualProvider(access?: Access): Provider {
  const locks = createLocks();
  return {
    type: 'manual',
    description: 'Existing computers, reached by SSH.',
    authTypes,
    controllerOn: 'host',
    firewallModes: ['none'],
    config: configSchema,
    builtinCloud: { name: 'manual', description: 'Existing hosts', regions: ['default'] },
    endpoint: { description: 'the host that a controller is to run on (user@host)', optional: true },
    prepareForBootstrap: (config) => Promise.resolve(config),
    prepareForModel: (config) => Promise.resolve(config),
    validate,
    boilerplate: () => boilerplate,
    enlist: enterHost,
    open: (open) => ({
      ...environ(new HostInstances({ open, access, locks })),
      ...(!access && { migration: nothingToAdopt }),
    }),
  };
}

export const manual: Provider = createManualProvider();

/** A controller keeps nothing of the hosts, whose agents find the new controller and clean up by themselves. */
const nothingToAdopt: NonNullable<Environ['migration']> = {
  ticket: '',
  check: () => Promise.resolve(),
  adopt: () => Promise.resolve(),
};

function environ(instances: HostInstances): Environ {
  return {
    delivery: 'download',
    instances: {
      start: (params, signal) => instances.start(params, signal),
      stop: (ids, signal) => instances.stop(ids, signal),
      list: () => instances.list(),
      get: (ids) => instances.get(ids),
      controllers: () => instances.controllers(),
    },
    constraints,
    precheck({ placement }) {
      if (placement === undefined || placement.startsWith('ssh:')) return Promise.resolve();
      return Promise.reject(notValid(`unknown placement directive: ${placement}`));
    },
    firewall: { mode: 'none' },
    create: () => Promise.resolve(),
    destroyModel: (signal) => instances.destroy('model', signal),
    destroyController: (signal) => instances.destroy('controller', signal),
  };
}
