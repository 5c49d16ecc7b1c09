/**
 * Two controllers on this host and one client of both: the model `work` of one controller consumes an offer of the
 * other's.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, startWorld, type ModelWorld, type World } from './world.ts';

export interface TwoWorlds {
  /** Offering model, with keeper, whose endpoint `server` is offered as `sql`. */
  readonly data: OneSide;
  /** Consuming model, with the application reader, whose endpoint is `db`. */
  readonly shop: OneSide;
  /** Returns the number of each relation by which the offer is used, with its status. */
  uses(): Promise<Record<string, string>>;
  /** Waits until the offer is used by one relation, which is joined. Returns its number in the offering model. */
  joined(): Promise<string>;
  /** Makes the offer known in the consuming model, and integrates it. Returns the relation's number, as `joined`. */
  relate(): Promise<string>;
  /** Waits until neither model has a relation with the other model. */
  apart(): Promise<void>;
  /** Kills the controllers, once, and returns what is left of them on the host. */
  end(): Promise<string[]>;
}

/** Model `work` of a controller: commands without a model's name are for this model. */
export interface OneSide extends ModelWorld {
  readonly world: World;
}

const isUp = { workload: 'active', agent: 'idle' } as const;

type Charms = Record<'keeper' | 'reader', Parameters<World['charm']>[1]>;

/**
 * Starts both controllers, and deploys these charms. `cheap`: machines are processes in the host's network; `argv`: the
 * command line's program with its first arguments, by default this build's.
 */
export async function startTwoWorlds(
  subject: string,
  { keeper, reader }: Charms,
  {
    cheap = false,
    argv = [join(root, 'bin/grigri')],
  }: { readonly cheap?: boolean; readonly argv?: readonly string[] } = {},
): Promise<TwoWorlds> {
  const dir = mkdtempSync(join(tmpdir(), `grigri-${subject}-`));
  const worlds: World[] = [];
  const end = async (): Promise<string[]> => {
    const left: string[] = [];
    for (const world of worlds.splice(0)) left.push(...(await world.end()));
    rmSync(dir, { recursive: true, force: true });
    return left;
  };
  const provider = join(root, 'examples/provider/provider.ts');
  const env = { JUJU_DATA: join(dir, 'client'), ...(cheap && { GRIGRI_PROVIDERS: provider }) };
  async function start(name: string): Promise<OneSide> {
    const own = join(dir, name);
    mkdirSync(own);
    const world = await startWorld(`${subject}-${name}`, {
      runner: { dir: own, argv, env },
      ...(cheap && {
        cloud: ['unshare', '--data-dir', join(own, 'controller'), '--config', 'api-port=0'] as const,
      }),
    });
    worlds.push(world);
    return { ...world.inModel('work'), world };
  }
  try {
    const [data, shop] = [await start('far'), await start('near')];
    await data.grigri('deploy', data.world.charm('keeper', keeper));
    await shop.grigri('deploy', shop.world.charm('reader', reader));
    await data.untilUnit('keeper/0', isUp);
    await shop.untilUnit('reader/0', isUp);
    await data.grigri('offer', 'keeper:server', 'sql');
    return { ...acts(data, shop), end };
  } catch (error) {
    await end();
    throw error;
  }
}

type Offers = Record<string, { connections?: { 'relation-id': number; status: { current: string } }[] }>;

function acts(data: OneSide, shop: OneSide): Omit<TwoWorlds, 'end'> {
  const uses = async (): Promise<Record<string, string>> => {
    const { sql } = JSON.parse(await data.grigri('offers', '--format', 'json')) as Offers;
    const found = sql?.connections ?? [];
    return Object.fromEntries(found.map((one) => [String(one['relation-id']), one.status.current]));
  };
  const joined = async (): Promise<string> => {
    let seen: Record<string, string> = {};
    await data.until('one relation to be joined', async () => {
      seen = await uses();
      return Object.values(seen).join() === 'joined';
    });
    return Object.keys(seen)[0]!;
  };
  return {
    data,
    shop,
    uses,
    joined,
    async relate() {
      await shop.grigri('integrate', 'reader', `${data.world.name}:admin/work.sql`);
      return joined();
    },
    async apart() {
      for (const model of [data, shop])
        await model.until('no relation to be left', async () => {
          const shown = await model.grigri('status', '--relations');
          return !shown.includes('Integration provider');
        });
      if (Object.keys(await uses()).length > 0) throw new Error('the offer counts relations that are gone');
    },
  };
}
