/** Providers with one fault each, by the case of the kit that finds it: what the kit is tried with. */
import type { Environ, OpenParams, Provider } from '../provider.ts';
import { createSimulatedProvider } from '../simulated/index.ts';

/** `open`: the provider without the fault. */
type Fault = (environ: Environ, params: OpenParams, open: Provider['open']) => Partial<Environ>;

function faulty(fault: Fault): () => Provider {
  return () => {
    const provider = createSimulatedProvider();
    return {
      ...provider,
      open(params) {
        const environ = provider.open(params);
        return { ...environ, ...fault(environ, params, (other) => provider.open(other)) };
      },
    };
  };
}

/** Who opened a model first. */
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

/** Every case finds this one: it shows a password. */
export const leaky = faulty(({ instances }, { log }) => ({
  instances: {
    ...instances,
    start(params, signal) {
      log.debug('starting', { agent: params.agent });
      return instances.start(params, signal);
    },
  },
}));
