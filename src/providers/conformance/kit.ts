import { afterEach, beforeEach, expect } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import type { Environ, Provider } from '../contract/provider.ts';
import type { Instance, StartParams } from '../contract/start.ts';
import type { Look, Subject } from './subject.ts';
import { createProviderWorld, type Opened, type ProviderWorld } from './world.ts';

/** World of a case, created anew for each. */
export interface Kit {
  readonly subject: Subject;
  readonly world: ProviderWorld;
  /** The provider under test; assigning a fresh one simulates a restart of the controller. */
  provider: Provider;
  /** Environment of a new model. */
  readonly environ: Opened;
  readonly never: AbortSignal;
  params(machineId: string, params?: Partial<StartParams>): StartParams;
  /** Returns the sorted ids of all instances of the environment. */
  idsOf(environ: Environ): Promise<string[]>;
  /**
   * Returns what the subject finds left; resources that vanish by themselves, such as a process that is about to end,
   * are left out.
   */
  leftovers(after: Look['after']): Promise<readonly string[]>;
  /** Starts a machine and waits until it has an address, which may be some time after its start. */
  reachable(environ: Environ, machineId: string): Promise<Instance>;
}

/**
 * Sets up each case of the enclosing describe block; afterwards no resources may remain and no secret may have been
 * output.
 */
export function setUp(subject: Subject): Kit {
  const { timeoutMs = 60_000 } = subject;
  const kit = {
    subject,
    world: undefined as unknown as ProviderWorld,
    provider: undefined as unknown as Provider,
    environ: undefined as unknown as Opened,
    never: new AbortController().signal,
    params: (machineId: string, params?: Partial<StartParams>) => kit.world.startParams(machineId, params),
    idsOf: async (environ: Environ) =>
      (await environ.instances.list(kit.never)).map(({ id }) => id).toSorted(),
    async leftovers(after: Look['after']) {
      for (let looks = 1; ; looks++) {
        const left = (await subject.leftovers?.(kit.world.look(after))) ?? [];
        if (left.length === 0 || looks === 20) return left;
        await systemClock.sleep(100);
      }
    },
    async reachable(environ: Environ, machineId: string) {
      const { instance } = await environ.instances.start(kit.params(machineId), kit.never);
      for (;;) {
        const [now] = await environ.instances.get([instance.id], kit.never);
        if (now && now.addresses.length > 0) return now;
        await systemClock.sleep(200);
      }
    },
  };
  beforeEach(() => {
    kit.world = createProviderWorld(subject);
    kit.provider = subject.fresh();
    kit.environ = kit.world.open(kit.provider);
  }, timeoutMs);
  afterEach(async () => {
    await kit.world.end(kit.provider);
    expect(await kit.leftovers('everything')).toEqual([]);
    const secrets = secretsOf(kit);
    const leaks = kit.world.heard.filter((line) => secrets.some((secret) => line.includes(secret)));
    expect(leaks, 'secrets in what it answered, threw, logged or said of its progress').toEqual([]);
  }, timeoutMs);
  return kit;
}

/** Parts of an instance that never change, unlike its addresses and status. */
export function identity({ id, displayName, tags, zone, isolation }: Instance): object {
  return { id, displayName, tags, zone, isolation };
}

function secretsOf({ subject, provider, world }: Kit): string[] {
  const { cloud, config } = world.openParams(provider, {});
  const credentials = [cloud.credential, subject.refused].flatMap((credential) =>
    Object.entries(credential?.attributes ?? {})
      .filter(([name]) => provider.authTypes[credential!.authType]?.[name]?.secret)
      .map(([, value]) => value),
  );
  const settings = Object.entries({ ...cloud.config, ...config })
    .filter(([name]) => provider.config[name]?.secret)
    .map(([, value]) => String(value));
  return [world.agentPassword, ...credentials, ...settings, ...(subject.secrets ?? [])].flatMap(tellingParts);
}

/** Lines of a secret of which any one gives it away; the lines that frame a key are excluded. */
function tellingParts(secret: string): string[] {
  const lines = secret.split(/\r?\n/);
  if (lines.length === 1) return secret === '' ? [] : [secret];
  return lines.filter((line) => line.length >= 16 && !line.startsWith('-----'));
}
