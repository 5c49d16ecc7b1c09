/** Walls between layers (ARCHITECTURE.md): which layer may import which, and what no file may do. */

interface Layer {
  /** Layers, or single files, that files of the layer may import beside their own layer. */
  readonly may: readonly string[];
  readonly because: string;
}
export const layers: Readonly<Record<string, Layer>> = {
  core: { may: [], because: 'core is what is true about a model, and true without anything else' },
  kit: {
    may: [
      'core/defined.ts',
      'core/errors.ts',
      'core/json-bytes.ts',
      'core/limits.ts',
      'core/log-levels.ts',
      'core/parse-bool.ts',
      'core/parse-json.ts',
    ],
    because: 'kit holds tools without a Juju word in them',
  },
  wire: {
    may: ['core', 'kit/yaml/read.ts'],
    because: 'wire is only what goes over the socket, and agent.conf, which is YAML',
  },
  store: { may: ['core', 'kit'], because: 'a store knows documents, not who asks for them' },
  providers: { may: ['core', 'kit'], because: 'a provider is told what to do; it never asks a controller' },
  provisioning: {
    may: ['core', 'kit', 'providers'],
    because: 'it runs in the controller and in machine agents alike, and asks whoever keeps the records',
  },
  client: { may: ['core', 'kit', 'wire'], because: 'a client has nothing but the socket' },
  controller: {
    may: ['core', 'kit', 'wire', 'store', 'providers', 'provisioning'],
    because: 'a controller serves agents and clients, and imports neither',
  },
  hooks: { may: ['core', 'kit'], because: 'what a charm sees reaches the model only through HookContext' },
  agent: {
    may: ['core', 'kit', 'wire', 'client', 'hooks', 'providers', 'provisioning'],
    because: 'an agent asks the controller, like any client',
  },
  forecast: {
    may: [
      'core',
      'kit',
      'wire',
      'store',
      'providers',
      'provisioning',
      'client',
      'controller',
      'hooks',
      'agent',
      'operate',
      'main/controller/compose.ts',
    ],
    because:
      'a forecast plays a controller, its agents and a user on a virtual clock, and is started by main',
  },
  operate: {
    may: ['core', 'kit', 'wire', 'client'],
    because: 'what an operator’s client does is the same in a terminal and in a web page',
  },
  cli: {
    may: ['core', 'kit', 'wire', 'client', 'operate', 'providers'],
    because: 'the CLI is a client; it needs providers to bootstrap only',
  },
  testing: { may: ['*'], because: '' },
  main: { may: ['*'], because: '' },
};

/**
 * Folders of controller/transactions, each with the other folders whose transactions it may run, never the other way
 * round.
 */
export const phases: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  set: ['shared'],
  begin: ['set', 'shared'],
  end: ['begin', 'shared'],
  change: ['begin', 'end', 'set', 'shared'],
  agent: ['begin', 'end', 'shared'],
  instance: ['agent', 'end'],
  remote: ['agent', 'begin', 'end', 'shared'],
};

/** Walls inside a layer: files under the first folder import nothing under the second. */
export const inside: readonly (readonly [from: string, to: string, because: string])[] = [
  ['controller/facades', 'controller/workers', 'a facade changes the model; workers see the change'],
  ['controller/workers', 'controller/facades', 'a worker runs transactions, it is no client'],
  ['controller/workers', 'controller/server', 'a worker runs without any connection'],
  ['controller/transactions', 'controller/facades', 'a transaction is called by facades'],
  ['controller/transactions', 'controller/workers', 'a transaction is called by workers'],
  ['controller/transactions', 'controller/server', 'a transaction runs without any connection'],
  ...phaseWalls(),
  ['providers/contract', 'providers/toolkit', 'the contract is what tools and clouds are written against'],
  ['providers/contract', 'providers/clouds', 'the contract names no cloud'],
  ['providers/toolkit', 'providers/clouds', 'a tool serves every cloud'],
];

function phaseWalls(): (readonly [from: string, to: string, because: string])[] {
  const names = Object.keys(phases);
  return Object.entries(phases).flatMap(([from, may]) =>
    names
      .filter((to) => to !== from && !may.includes(to))
      .map(
        (to) =>
          [
            `controller/transactions/${from}`,
            `controller/transactions/${to}`,
            'phases of life know each other one way',
          ] as const,
      ),
  );
}

interface Ban {
  readonly what: RegExp;
  /** Paths where the use is banned. */
  readonly within: string;
  /** Paths where the use is permitted nevertheless. */
  readonly except: readonly string[];
  readonly because: string;
}
export const bans: readonly Ban[] = [
  {
    what: /\bDate\.now\b|\bnew Date\(\)|\bperformance\b/,
    within: 'core/',
    except: [],
    because: 'time is an argument',
  },
  { what: /\bMath\.random\b|\bcrypto\b/, within: 'core/', except: [], because: 'randomness is an argument' },
  { what: /\bawait\b|\basync\b|\bsetTimeout\b/, within: 'core/', except: [], because: 'core never waits' },
  { what: /\bprocess\./, within: 'core/', except: [], because: 'core does not know where it runs' },
  {
    what: /\.\.\.\((\S+) (?:=== (?:undefined|'') \? \{\} :|!== undefined (?:&&|\?)|&&|\?) \{ (?:[\w'-]+: )?\1 \}/,
    within: '',
    except: [],
    because: 'a member that may be absent is spread by defined()',
  },
  {
    what: /\bprocess\./,
    within: 'operate/',
    except: [],
    because: 'what an operation needs of its host is an argument',
  },
  {
    what: /\bAbortSignal\.any\b/,
    within: '',
    except: ['cli/', 'testing/'],
    because: 'a signal that lives long would keep something of each: anyOf',
  },
  {
    what: /\bconsole\./,
    within: '',
    except: ['cli/', 'main/'],
    because: 'what is worth saying goes to the log',
  },
  {
    what: /\bprocess\.exit\(/,
    within: '',
    except: ['cli/', 'main/'],
    because: 'only main decides when a process ends',
  },
];
