import { openAttributes, openConfig } from '../../controller/secrets.ts';
import type { Sealer } from '../../controller/sealer.ts';
import type { CloudDoc } from '../../core/cloud/document.ts';
import type { CredentialDoc } from '../../core/credential/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import { notFound } from '../../core/errors.ts';
import { inheritedConfig } from '../../core/model/inherited.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import { ProviderError, type CloudSpec, type Environ, type Provider } from '../../providers/provider.ts';
import type { Reader, Store } from '../../store/store.ts';

export interface Environs {
  /** Opened once, again when the model's configuration, cloud or credential changed. Errors: `not found`. */
  readonly environ: (model: string, reader: Reader<Entities>) => Environ;
  readonly tryCredential: (model: string, credential: CredentialDoc, signal: AbortSignal) => Promise<void>;
}

/** The only place where sealed secrets are opened. */
export function createEnvirons(needs: {
  store: Store<Entities>;
  providers: ReadonlyMap<string, Provider>;
  stateDir: string;
  /** The controller's own files: machines must not see them. */
  dataDir: string;
  sealer: Sealer;
  clock: Clock;
  log: Log;
}): Environs {
  const { sealer, providers } = needs;
  const open = new Map<
    string,
    { from: readonly unknown[]; readonly of: string; readonly environ: Environ }
  >();

  const find = (
    uuid: string,
    reader: Reader<Entities>,
  ): { model: ModelDoc; cloud: CloudDoc; provider: Provider } => {
    const root = reader.in('');
    const model = root.get('model', uuid);
    if (!model) throw notFound('model', uuid);
    const cloud = root.get('cloud', model.cloud);
    const provider = cloud && providers.get(cloud.type);
    if (!cloud || !provider) throw notFound('cloud', model.cloud);
    return { model, cloud, provider };
  };

  const openEnviron = (
    { model, cloud, provider }: ReturnType<typeof find>,
    credential: CredentialDoc | undefined,
    controllerUuid: string,
  ): Environ => {
    const spec = cloudSpec(cloud, model.region, provider, sealer);
    const own = Object.fromEntries(Object.entries(model.config).filter(([key]) => key in provider.config));
    const mode = model.config['firewall-mode'];
    return provider.open({
      cloud: {
        ...spec,
        ...(credential && {
          credential: {
            authType: credential.authType,
            attributes: openAttributes(sealer, credential.attributes),
          },
        }),
      },
      // With the provider's defaults: clouds and models keep what somebody gave.
      config: provider.validate({ ...spec.config, ...openConfig(sealer, provider.config, own) }),
      controllerUuid,
      modelUuid: model.uuid,
      modelName: model.name,
      ...(mode === 'instance' || mode === 'global' || mode === 'none' ? { firewallMode: mode } : {}),
      stateDir: needs.stateDir,
      privateDirs: [needs.dataDir],
      clock: needs.clock,
      log: needs.log.module(`grigri.provider.${cloud.type}`),
    });
  };

  return {
    environ(uuid, reader) {
      const found = find(uuid, reader);
      const root = reader.in('');
      const { model, cloud, provider } = found;
      const credential = model.credential === '' ? undefined : root.get('credential', model.credential);
      const known = open.get(uuid);
      // Documents are replaced, never changed: the same ones need not be written out at each look.
      const from = [cloud, credential, model.config, model.region, model.name];
      if (known?.from.every((one, n) => one === from[n])) return known.environ;
      const config = Object.entries(model.config).filter(
        ([key]) => key in provider.config || key === 'firewall-mode',
      );
      const of = JSON.stringify([cloud, credential, config, model.region, model.name]);
      if (known?.of === of) {
        known.from = from;
        return known.environ;
      }
      const environ = credential?.revoked
        ? refusing(credential)
        : openEnviron(found, credential, root.get('controller', 'self')!.uuid);
      open.set(uuid, { from, of, environ });
      return environ;
    },
    async tryCredential(uuid, credential, signal) {
      const reader = needs.store.read();
      const environ = openEnviron(find(uuid, reader), credential, reader.get('controller', 'self')!.uuid);
      await environ.instances.list(signal);
    },
  };
}

/** Without its credential. */
function cloudSpec(cloud: CloudDoc, region: string, provider: Provider, sealer: Sealer): CloudSpec {
  const config = inheritedConfig(cloud, region);
  return {
    name: cloud.name,
    type: cloud.type,
    region,
    endpoint: cloud.regions.find((one) => one.name === region)?.endpoint ?? cloud.endpoint,
    config: openConfig(sealer, provider.config, config),
    ...(cloud.caCertificates && { caCertificates: cloud.caCertificates }),
    ...(cloud.skipTlsVerify && { skipTlsVerify: true }),
  };
}

/** What a model has whose credential was revoked: every call fails for that reason. */
function refusing({ name, owner, cloud }: CredentialDoc): Environ {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new ProviderError(
        'credential',
        `credential "${name}" of ${owner} for cloud "${cloud}" is revoked: update it, or give the model another one (grigri set-credential)`,
      ),
    );
  return {
    instances: { start: refuse, stop: refuse, list: refuse, get: refuse, controllers: refuse },
    containers: { types: ['lxd'], takeAddress: refuse, releaseAddresses: refuse },
    // Absent, what changes meanwhile would be taken for done.
    profiles: { assign: refuse },
    constraints: { unsupported: [], conflicts: [], vocabulary: {} },
    precheck: () => Promise.resolve(),
    firewall: { mode: 'instance', set: refuse, rules: refuse },
    create: refuse,
    destroyModel: refuse,
    destroyController: refuse,
  };
}
