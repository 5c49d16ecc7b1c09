import { formatBase } from '../../../core/base.ts';
import { notValid } from '../../../core/errors.ts';
import { ProviderError } from '../../contract/provider.ts';
import { LxdError } from './client.ts';
import { archOf } from './config.ts';
import type { LxdContext } from './context.ts';
import { classOf, isTaken } from './errors.ts';
import { localAliases, ownAlias, remotesFor, type ImageRemote, type WantedImage } from './image-sources.ts';
import { defined } from '../../../core/defined.ts';

interface Alias {
  readonly name: string;
  readonly target: string;
  readonly type: 'container' | 'virtual-machine';
}
interface Image {
  readonly fingerprint: string;
  readonly architecture: string;
}

/** Images in the server's own store, including those that it downloads. */
export class LxdImages {
  readonly #context: Pick<LxdContext, 'client' | 'downloads' | 'open'>;

  constructor(context: Pick<LxdContext, 'client' | 'downloads' | 'open'>) {
    this.#context = context;
  }

  /**
   * Returns the fingerprint of an image in the server's own store. An image without a local alias is downloaded, once
   * for all concurrent callers. Errors: ProviderError, LxdError.
   */
  async find(
    { progress, ...wanted }: WantedImage & { readonly progress: (message: string) => void },
    signal: AbortSignal,
  ): Promise<string> {
    const { open, downloads } = this.#context;
    const local = await this.#findLocal(wanted, signal);
    if (local !== undefined) return local;
    const key = JSON.stringify([
      open.cloud.endpoint,
      open.config['project'],
      open.config['image-metadata-url'],
      ownAlias(wanted),
    ]);
    return downloads(key, { progress, signal }, async (tell, stop) => {
      // Another caller may have downloaded the image meanwhile.
      return (await this.#findLocal(wanted, stop)) ?? (await this.#fetch(wanted, tell, stop));
    });
  }

  /** Checks an image without contacting remotes. Errors: JujuError `not valid`, LxdError. */
  async precheck(image: WantedImage, signal: AbortSignal): Promise<void> {
    if (this.#remotes(image).length > 0 || (await this.#findLocal(image, signal)) !== undefined) return;
    throw notValid(notFoundText(image, []));
  }

  #remotes(wanted: WantedImage): ImageRemote[] {
    const { config, cloud } = this.#context.open;
    return remotesFor(wanted, config, cloud.caCertificates?.[0]);
  }

  async #findLocal(wanted: WantedImage, signal: AbortSignal): Promise<string | undefined> {
    const path = '/1.0/images/aliases?recursion=1';
    const aliases = await this.#context.client.request<readonly Alias[]>({ method: 'GET', path }, signal);
    const type = typeOf(wanted);
    const targets = new Map(
      aliases.filter((alias) => alias.type === type).map((alias) => [alias.name, alias.target]),
    );
    const candidates = localAliases(wanted).map((name) => targets.get(name));
    for (const target of new Set(candidates)) {
      if (target === undefined) continue;
      const image = await this.#context.client.find<Image>(`/1.0/images/${target}`, signal);
      if (image && archOf(image.architecture) === wanted.arch) return image.fingerprint;
    }
    return undefined;
  }

  async #fetch(
    wanted: WantedImage,
    progress: (message: string) => void,
    signal: AbortSignal,
  ): Promise<string> {
    let failure: LxdError | undefined;
    const tried: string[] = [];
    for (const remote of this.#remotes(wanted)) {
      try {
        const found = await this.#fetchFrom(remote, wanted, progress, signal);
        if (found !== undefined) return found;
        tried.push(`${remote.server} has none of ${remote.aliases.join(', ')}`);
      } catch (error) {
        const goesOn = error instanceof LxdError && error.failure === 'operation';
        if (!goesOn || classOf(error) !== 'transient') throw error;
        // The next remote is tried: this server may be down.
        failure = error;
        tried.push(`${remote.server} does not work: ${error.message}`);
      }
    }
    throw new ProviderError(failure ? 'transient' : 'bad request', notFoundText(wanted, tried), {
      cause: failure,
    });
  }

  async #fetchFrom(
    { server, aliases, certificate }: ImageRemote,
    wanted: WantedImage,
    progress: (message: string) => void,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    for (const alias of aliases) {
      progress(`looking for image ${alias} at ${server}`);
      const source = {
        type: 'image',
        mode: 'pull',
        protocol: 'simplestreams',
        server,
        alias,
        image_type: typeOf(wanted),
        ...defined({ certificate }),
      };
      try {
        const { fingerprint } = await this.#context.client.request<{ fingerprint: string }>(
          {
            method: 'POST',
            path: '/1.0/images',
            body: { source, auto_update: true, public: false },
            progress: (message) => progress(`image ${alias}: ${message}`),
          },
          signal,
        );
        await this.#giveAlias(fingerprint, wanted, signal);
        return fingerprint;
      } catch (error) {
        if (!isUnknownImage(error)) throw error;
      }
    }
    return undefined;
  }

  /** Adds the alias by which the next search finds the image. */
  async #giveAlias(fingerprint: string, image: WantedImage, signal: AbortSignal): Promise<void> {
    const body = { name: ownAlias(image), target: fingerprint, description: 'made by grigri' };
    try {
      await this.#context.client.request({ method: 'POST', path: '/1.0/images/aliases', body }, signal);
    } catch (error) {
      if (!isTaken(error)) throw error;
      const path = `/1.0/images/aliases/${encodeURIComponent(body.name)}`;
      await this.#context.client.request({ method: 'PATCH', path, body: { target: fingerprint } }, signal);
    }
  }
}

function typeOf({ isVm }: WantedImage): Alias['type'] {
  return isVm ? 'virtual-machine' : 'container';
}

function isUnknownImage(error: unknown): boolean {
  return (
    error instanceof LxdError &&
    error.failure !== 'none' &&
    /(image|alias).{0,200}(not found|couldn't be found|doesn't exist|does not exist)|no (matching )?image/i.test(
      error.message,
    )
  );
}

function notFoundText(image: WantedImage, tried: readonly string[]): string {
  const { base, arch } = image;
  const kind = image.isVm ? 'virtual machine image' : 'image';
  return [
    `there is no ${kind} of ${formatBase(base)} for ${arch}: LXD has no alias ${localAliases(image).join(', ')}`,
    ...(tried.length > 0 ? tried : ['no image server has it']),
    "give LXD an image under one of these aliases ('lxc image alias create'), or set image-metadata-url",
  ].join('; ');
}
