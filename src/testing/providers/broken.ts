/** Providers with one fault each, by the case of the kit that finds it: the kit is tested with them. */
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Environ, OpenParams, Provider } from '../../providers/contract/provider.ts';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { createPlainProvider } from './plain.ts';

/** Function that returns an environment with a fault. `open`: opens the provider without the fault. */
type Fault = (environ: Environ, params: OpenParams, open: Provider['open']) => Partial<Environ>;

const faulty = (fault: Fault): (() => Provider) => withFault(createSimulatedProvider, fault);
const spoiled = (fault: Fault): (() => Provider) => withFault(createPlainProvider, fault);

function withFault(create: () => Provider, fault: Fault): () => Provider {
  return () => {
    const provider = create();
    return {
      ...provider,
      open(params) {
        const environ = provider.open(params);
        return { ...environ, ...fault(environ, params, (other) => provider.open(other)) };
      },
    };
  };
}

/** The controller that opened each model first. */
const firstControllers = new Map<string, string>();

const { signal: never } = new AbortController();

export const broken: Readonly<Record<string, () => Provider>> = {
  'the same nonce twice is one instance': faulty(({ instances }) => {
    let starts = 0;
    return {
      instances: {
        ...instances,
        start: (params, signal) =>
          instances.start({ ...params, nonce: `${params.nonce}${starts++}` }, signal),
      },
    };
  }),
  'the same nonce at once is one instance': faulty(({ instances }) => {
    let busy = 0;
    return {
      instances: {
        ...instances,
        async start(params, signal) {
          const nonce = busy++ > 0 ? `${params.nonce}${busy}` : params.nonce;
          return instances.start({ ...params, nonce }, signal).finally(() => busy--);
        },
      },
    };
  }),
  'a start that is cancelled leaves nothing': faulty(({ instances }) => ({
    instances: {
      ...instances,
      async start(params, signal) {
        const result = await instances.start(params, never);
        signal.throwIfAborted();
        return result;
      },
    },
  })),
  'what can never start is a bad request that makes nothing, and is refused before it begins': faulty(() => ({
    precheck: () => Promise.resolve(),
  })),
  'stopping is repeatable, and unknown ids are no error': faulty(({ instances }) => ({
    instances: {
      ...instances,
      async stop(ids, signal) {
        const found = await instances.get(ids, signal);
        if (found.includes(undefined)) throw new Error('no such instance');
        await instances.stop(ids, signal);
      },
    },
  })),
  'another model’s and another controller’s instances are never touched': faulty(
    ({ instances }, params, open) => {
      const controllerUuid = firstControllers.get(params.modelUuid) ?? params.controllerUuid;
      firstControllers.set(params.modelUuid, controllerUuid);
      const first = open({ ...params, controllerUuid }).instances;
      return { instances: { ...instances, list: (signal) => first.list(signal) } };
    },
  ),
  'the firewall of an instance is exactly what was set': faulty(({ firewall }) => {
    if (firewall.mode !== 'instance') return {};
    return {
      firewall: {
        ...firewall,
        set: async (id, rules, signal) =>
          firewall.set(id, [...(await firewall.rules(id, signal)), ...rules], signal),
      },
    };
  }),
  'destroying a model, or the controller, takes all its instances': faulty(() => ({
    destroyModel: () => Promise.resolve(),
  })),
  'machines of one request have each their own outcome, and are found again': faulty(({ startGroup }) => ({
    ...(startGroup && {
      startGroup: {
        ...startGroup,
        async start(params, signal) {
          const outcomes = await startGroup.start(params, signal);
          const failed = outcomes.find((outcome) => outcome instanceof Error);
          if (failed) throw failed;
          return outcomes;
        },
      },
    }),
  })),
};

/** Providers that start real machines, or should. */
export const brokenMachines: Readonly<Record<string, () => Provider>> = {
  'a machine runs its agent': createSimulatedProvider,
  'agent.conf is there whole, and its owner’s alone': spoiled(({ instances }, { stateDir }) => ({
    instances: {
      ...instances,
      async start(params, signal) {
        const result = await instances.start(params, signal);
        for (const file of readdirSync(stateDir, { recursive: true, encoding: 'utf8' }))
          if (file.endsWith('/agent.conf')) chmodSync(join(stateDir, file), 0o644);
        return result;
      },
    },
  })),
  'a machine that ended by itself is not said to run, and starts again': spoiled(({ instances }) => ({
    instances: {
      ...instances,
      async get(ids, signal) {
        const found = await instances.get(ids, signal);
        return found.map((one) => one && { ...one, status: 'running' as const });
      },
    },
  })),
};

/** Provider that every case finds: it shows a password. */
export const leaky = faulty(({ instances }, { log }) => ({
  instances: {
    ...instances,
    start(params, signal) {
      log.debug('starting', { agent: params.agent });
      return instances.start(params, signal);
    },
  },
}));
