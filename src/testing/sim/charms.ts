/** Charms of the simulated world. Their hooks write down what they see, so that the judge can check it. */
import { createHash } from 'node:crypto';
import { hasCode } from '../../core/errors.ts';
import type { HookContext } from '../../hooks/context.ts';
import type { HookResult } from '../../hooks/run-hook.ts';
import type { HookHelp, SimulatedRun } from '../../forecast/world/behaviour.ts';
import type { SimCharm } from './world.ts';

const actionMs = 90_000;
import { keepSecret, readSecret } from './secrets.ts';
import { rememberNetworks } from './spaces.ts';
import { useStorage, type StorageUse } from './storage.ts';

export const charmNames = [
  'db',
  'web',
  'cache',
  'logger',
  'monitor',
  'shop',
  'shipper',
  'ping',
  'pong',
] as const;
type CharmName = (typeof charmNames)[number];
/** Names of applications: each charm may be deployed under two names. */
export const applicationNames: readonly string[] = charmNames.flatMap((name) => [name, `${name}2`]);

const metadata: Readonly<Record<CharmName, Readonly<Record<string, unknown>>>> = {
  db: {
    provides: { server: { interface: 'sql' } },
    peers: { cluster: { interface: 'sql-cluster' } },
    resources: { data: { filename: 'data.bin' } },
    storage: {
      data: { type: 'filesystem', multiple: { range: '0-3' } },
      disk: { type: 'block', multiple: { range: '0-2' } },
    },
  },
  web: {
    provides: { site: { interface: 'http' } },
    requires: { db: { interface: 'sql' }, cache: { interface: 'kv' } },
    peers: { ring: { interface: 'web-ring' } },
    storage: { scratch: { type: 'filesystem' } },
  },
  cache: {
    provides: { store: { interface: 'kv' } },
    resources: { data: { filename: 'data.bin' } },
  },
  logger: {
    subordinate: true,
    requires: { host: { interface: 'juju-info', scope: 'container' } },
    provides: { feed: { interface: 'log-feed', scope: 'container' } },
  },
  monitor: {
    subordinate: true,
    requires: {
      host: { interface: 'juju-info', scope: 'container' },
      feed: { interface: 'log-feed', scope: 'container' },
    },
  },
  // Charms with requirements: in a chain, beside a principal as well as elsewhere, and in a cycle.
  shop: {
    requires: { site: { interface: 'http', optional: false }, db: { interface: 'sql', optional: true } },
  },
  shipper: {
    subordinate: true,
    requires: {
      host: { interface: 'juju-info', scope: 'container', optional: false },
      store: { interface: 'kv', optional: false },
    },
  },
  ping: {
    provides: { ping: { interface: 'ping' } },
    requires: { pong: { interface: 'pong', optional: false } },
  },
  pong: {
    provides: { pong: { interface: 'pong' } },
    requires: { ping: { interface: 'ping', optional: false }, db: { interface: 'sql' } },
  },
};

const config = {
  n: { type: 'int', default: 0, description: 'Written to every databag' },
  slow: { type: 'int', default: 0, description: 'Seconds that each hook takes more' },
  fail: { type: 'string', default: '', description: 'The hook that fails' },
};

/** Keys of a charm's state. */
export const remembered = {
  /** Value of the option `n` at the last config-changed. */
  n: 'n',
  /** Path of the resource at the last hook that asked for it; '' = it had no content. */
  data: 'data',
  /** Whether the unit has been the leader. */
  led: 'led',
  /** Databag of a counterpart at the last relation-changed for it. */
  of: (relation: number | string, unit: string): string => `saw ${relation} ${unit}`,
};

export function charmOf(application: string): CharmName {
  const name = application.replace(/2$/, '');
  const found = charmNames.find((one) => one === name);
  if (!found) throw new RangeError(`no charm for ${application}`);
  return found;
}

/** Returns the endpoints of the application's charm that can be required. */
export function requiresOf(application: string): readonly string[] {
  return Object.keys(metadata[charmOf(application)]['requires'] ?? {});
}

/** Charms that ask for an LXD profile. */
const withProfiles: readonly CharmName[] = ['cache'];

/** Option whose default differs between the revisions of a charm, by which a hook's view of them is checked. */
export const versionOption = 'version';

interface CharmVariant {
  /** Default of `versionOption`. */
  readonly version: number;
  /** Whether the charm has one more peer relation. */
  readonly peer: boolean;
}

interface CharmListeners {
  /** Called when is-leader told a hook that its unit leads. */
  readonly onLead: (context: HookContext) => void;
  /** Called for each storage of the unit that a hook finds. */
  readonly onUse: (use: StorageUse) => void;
}

/** Creates a charm. */
export function simCharm(
  name: CharmName,
  { version, peer }: CharmVariant,
  { onLead, onUse }: CharmListeners,
): SimCharm {
  const own = metadata[name];
  const peers = { ...(own['peers'] as object | undefined), ...(peer && { extra: { interface: 'extra' } }) };
  return {
    name,
    metadata: { name, summary: name, description: name, ...own, peers },
    config: {
      options: {
        ...config,
        [versionOption]: { type: 'int', default: version, description: 'Of this revision' },
      },
    },
    ...(withProfiles.includes(name) && {
      lxdProfile: { config: { 'environment.REVISION': String(version) }, description: '', devices: {} },
    }),
    actions: { work: { description: 'Works for a while.' } },
    async run(run): Promise<Partial<HookResult> | void> {
      const { name: hook, context } = run;
      useStorage(hook, context, run, onUse);
      if (context.event.action) return act(run);
      const { values } = context.config();
      const slow = Number(values['slow'] ?? 0);
      if (slow > 0) await run.sleep(slow * 1000);
      const fails = String(values['fail'] ?? '');
      if (fails !== '' && (hook === fails || hook.endsWith(`-${fails}`))) return { kind: 'failed', code: 1 };
      try {
        await work(hook, context);
        if (metadata[name]['resources'] && (hook === 'start' || hook === 'upgrade-charm'))
          context.changes.charmState.set.set(remembered.data, await pathOfData(context, run.signal));
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'JujuError') throw error;
        return { kind: 'failed', code: 1 };
      }
      // The leader may have lost its lease meanwhile: its writes must be refused.
      if (slow > 0) await run.sleep(slow * 1000);
    },
  };

  async function work(hook: string, context: HookContext): Promise<void> {
    const { changes, event } = context;
    const n = String(context.config().values['n'] ?? 0);
    if (hook === 'start') {
      // Units of one machine must not ask for the same port.
      const [application, number] = context.unit.split('/');
      // Numbers go on by thousands after a restore.
      const place = Number(number) * applicationNames.length + applicationNames.indexOf(application ?? '');
      const port = 10_000 + (place % 50_000);
      changes.openPorts.push({ endpoint: '', range: `${port}/tcp` });
      await context.setStatus('workload', 'active', 'ready');
    }
    if (hook === 'config-changed') {
      changes.charmState.set.set(remembered.n, n);
      await context.changePayload('n', 'current', { kind: 'register', type: 'text', labels: [n] });
      rememberNetworks(context);
      for (const { id } of context.relations()) bagsOf(context, id).unit.set('n', n);
    }
    const id = event.relation?.id;
    if (id !== undefined && hook.endsWith('-relation-created')) bagsOf(context, id).unit.set('n', n);
    if (id !== undefined && event.remoteUnit !== undefined && hook.endsWith('-relation-changed')) {
      const theirs = await context.relationSettings(id, event.remoteUnit);
      changes.charmState.set.set(remembered.of(id, event.remoteUnit), theirs['n'] ?? '');
    }
    await readSecret(hook, context);
    await lead(hook, context);
  }

  /**
   * Writes as a leader may, under the unit's own name, so that writes of units that do not lead are detected. A
   * former leader tries once without asking and must be refused.
   */
  async function lead(hook: string, context: HookContext): Promise<void> {
    const leads = await context.isLeader();
    if (leads) {
      onLead(context);
      context.changes.charmState.set.set(remembered.led, 'yes');
    }
    if ((leads && hook === 'leader-elected') || context.charmState()[remembered.led] === 'yes')
      await context.setLeaderSettings({ by: context.unit, n: hook }).catch((error: unknown) => {
        if (leads || !hasCode(error, 'not leader')) throw error;
      });
    if (!leads) return;
    if (name === 'db') await keepSecret(hook, context, (relation) => bagsOf(context, relation).app);
    const id = context.event.relation?.id ?? context.relations()[0]?.id;
    if (id !== undefined && context.relations().some((one) => one.id === id))
      bagsOf(context, id).app.set('by', context.unit);
  }
}

async function pathOfData(context: HookContext, signal = new AbortController().signal): Promise<string> {
  try {
    return await context.resource('data', signal);
  } catch (error) {
    if (hasCode(error, 'not found')) return '';
    throw error;
  }
}

/** Returns the fingerprint of a content, in the simulated world: its SHA-256. */
export function fingerprintOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Applications whose charm has a resource. */
export const withResources: readonly string[] = applicationNames.filter(
  (name) => metadata[charmOf(name)]['resources'] !== undefined,
);

/** Runs the action: reports its beginning, works, and sets its results. */
async function act(run: SimulatedRun & HookHelp): Promise<void> {
  const { context } = run;
  await context.actionLog('begun');
  await run.sleep(run.random() * actionMs);
  context.changes.action.results['by'] = context.unit;
  context.changes.charmState.set.set('acted', 'yes');
}

function bagsOf(
  { changes }: HookContext,
  relation: number,
): { unit: Map<string, string>; app: Map<string, string> } {
  let bags = changes.relationSettings.get(relation);
  if (!bags) changes.relationSettings.set(relation, (bags = { unit: new Map(), app: new Map() }));
  return bags;
}
