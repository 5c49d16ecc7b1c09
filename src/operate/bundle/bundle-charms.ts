/** Charms of a bundle's applications, from the files that the bundle names and from the model. */
import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleCharm, BundleModel } from '../../core/bundle/bundle-model.ts';
import { ownValue } from '../../core/bundle/own.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { Charm } from '../../wire/facades/charms.ts';
import type { CharmSource } from '../deploy/charm-source.ts';
import { charmFromWire } from '../deploy/model-charm.ts';

interface BundleCharms {
  readonly byApplication: Readonly<Record<string, BundleCharm>>;
  /** Charms to be uploaded, by path. */
  readonly local: ReadonlyMap<string, CharmSource>;
}

/** Reader of a charm's files, by the path in the bundle. */
export type ReadCharm = (path: string) => Promise<CharmSource>;

/**
 * Finds the charm of each application. Errors: `not supported` (Charmhub), `not found`; those of `read`. Each names the
 * application.
 */
export async function bundleCharms(
  connection: Connection,
  {
    bundle,
    model,
    readCharm,
    past = new Map(),
  }: {
    readonly bundle: Bundle;
    readonly model: BundleModel;
    readonly readCharm: ReadCharm;
    /** Charms that the model had, by URL. */
    readonly past?: ReadonlyMap<string, Charm>;
  },
): Promise<BundleCharms> {
  refuseCharmhub(bundle);
  const knownCharms = new KnownCharms(connection, past);
  const local = new Map<string, CharmSource>();
  const byApplication: Record<string, BundleCharm> = {};
  for (const [name, { charm }] of Object.entries(bundle.applications)) {
    const currentUrl = ownValue(model.state.applications, name)?.charm;
    try {
      if (isPath(charm) && !local.has(charm)) local.set(charm, await readCharm(charm));
      const files = local.get(charm);
      byApplication[name] = files
        ? await knownCharms.ofFiles(files, currentUrl)
        : await knownCharms.ofUrl(charm, currentUrl);
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `application "${name}": ${error.message}`, { cause: error });
    }
  }
  return { byApplication, local };
}

/** Charms of a bundle are absolute paths, URLs or names: the reader of a bundle has made relative paths absolute. */
export function isPath(charm: string): boolean {
  return charm.startsWith('/');
}

function refuseCharmhub({ applications }: Bundle): void {
  const fromCharmhub = Object.entries(applications)
    .filter(([, { charm }]) => !isPath(charm) && !charm.startsWith('local:'))
    .map(([name, { charm }]) => `${name} (${charm})`);
  if (fromCharmhub.length > 0)
    throw new JujuError(
      'not supported',
      `Charmhub charms are not supported; specify a directory or a .charm file (./mysql) for: ${fromCharmhub.join(', ')}`,
    );
}

type KnownCharm = BundleCharm & { readonly sha256: string | undefined; readonly version: string };

class KnownCharms {
  readonly #connection: Connection;
  readonly #byUrl = new Map<string, KnownCharm>();
  readonly #hashes = new Map<CharmSource, Map<string, string>>();

  constructor(connection: Connection, past: ReadonlyMap<string, Charm>) {
    this.#connection = connection;
    for (const [url, told] of past) this.#byUrl.set(url, fromWire(told));
  }

  async get(url: string): Promise<KnownCharm> {
    const charm =
      this.#byUrl.get(url) ?? fromWire(await call(this.#connection, 'Charms', 'CharmInfo', { url }));
    this.#byUrl.set(url, charm);
    return charm;
  }

  /** Returns the charm of this URL; an application whose bundle's charm is gone keeps its own. */
  async ofUrl(url: string, currentUrl: string | undefined): Promise<BundleCharm> {
    if (currentUrl === undefined || currentUrl === url) return this.get(url);
    const wanted = await this.#find(url);
    return wanted ? { ...wanted, replaces: currentUrl } : { ...(await this.get(currentUrl)), differs: true };
  }

  /**
   * Returns the charm that the application runs when it has the same content; otherwise one of the model that has, or
   * the files. An application does not take files of a charm with another name.
   */
  async ofFiles(files: CharmSource, currentUrl: string | undefined): Promise<BundleCharm> {
    if (currentUrl === undefined) return this.#likeFiles(files);
    const running = await this.get(currentUrl);
    if (await this.#isSame(running, files)) return running;
    if (running.meta.name !== files.charm.meta.name) return { ...running, differs: true };
    return { ...(await this.#likeFiles(files)), replaces: currentUrl };
  }

  async #likeFiles(files: CharmSource): Promise<BundleCharm> {
    const { 'charm-urls': urls } = await call(this.#connection, 'Charms', 'List', {
      names: [files.charm.meta.name],
    });
    for (const url of urls) {
      // A charm that no application uses may be removed after it was listed.
      const candidate = await this.#find(url);
      if (candidate && (await this.#isSame(candidate, files)) && requiresSame(candidate, files))
        return candidate;
    }
    const { meta, config, bases } = files.charm;
    return { meta, config, bases };
  }

  async #find(url: string): Promise<KnownCharm | undefined> {
    return this.get(url).catch((error: unknown) => {
      if (hasCode(error, 'not found')) return undefined;
      throw error;
    });
  }

  /**
   * Returns whether a local charm equals the controller's. A commit that changes only other files of the checkout does
   * not make a different charm.
   */
  async #isSame({ sha256, version }: KnownCharm, files: CharmSource): Promise<boolean> {
    const hashes = this.#hashes.get(files) ?? new Map<string, string>();
    this.#hashes.set(files, hashes);
    const hash = hashes.get(version) ?? (await files.sha256(version));
    hashes.set(version, hash);
    return hash === sha256;
  }
}

/** Charms that were stored before requirements existed lack the requirements that their files state. */
function requiresSame({ meta: { required = [] } }: BundleCharm, { charm: { meta } }: CharmSource): boolean {
  return required.length === (meta.required ?? []).length;
}

function fromWire(told: Charm): KnownCharm {
  const { url, sha256, version = '' } = told;
  return { url, sha256, version, ...charmFromWire(told) };
}
