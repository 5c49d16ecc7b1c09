import { openAttributes, openConfig } from '../../controller/secrets.ts';
import { backupDirOf } from '../../controller/backups/archive-folder.ts';
import type { Sealer } from '../../controller/sealer.ts';
import type { CloudDoc } from '../../core/cloud/document.ts';
import type { CredentialDoc } from '../../core/credential/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import type { RemovedModelDoc } from '../../core/removed-model/document.ts';
import { notFound } from '../../core/errors.ts';
import { inheritedConfig } from '../../core/model/inherited.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import {
  ProviderError,
  type CloudSpec,
  type Environ,
  type Provider,
} from '../../providers/contract/provider.ts';
import type { Reader, Store } from '../../store/store.ts';
import { defined } from '../../core/defined.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly stateDir: string;
  /** Data directory of the controller, hidden from machines. */
  readonly dataDir: string;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
}

interface ModelParts {
  /** Model, or what is left of one that was removed. */
  readonly model: RemovedModelDoc | ModelDoc;
  readonly cloud: CloudDoc;
  readonly provider: Provider;
}

/** Environs of all models. This is the only place where sealed secrets are opened. */
export class Environs {
  readonly #needs: Needs;
  readonly #open = new Map<
    string,
    { inputs: readonly unknown[]; readonly fingerprint: string; readonly environ: Environ }
  >();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /**
   * Returns the environ of a model, reopened when the model's configuration, cloud or credential changed. Errors: `not
   * found`.
   */
  environ(uuid: string, reader: Reader<Entities>): Environ {
    const parts = this.#find(uuid, reader);
    const root = reader.in('');
    const { model, cloud, provider } = parts;
    const backupDir = backupDirOf(root);
    const credential = model.credential === '' ? undefined : root.get('credential', model.credential);
    const opened = this.#open.get(uuid);
    // Documents are immutable, so comparing references detects changes without serializing them.
    const inputs = [cloud, credential, model.config, model.region, model.name, backupDir];
    if (opened?.inputs.every((one, n) => one === inputs[n])) return opened.environ;
    const config = Object.entries(model.config).filter(
      ([key]) => key in provider.config || key === 'firewall-mode',
    );
    const fingerprint = JSON.stringify([cloud, credential, config, model.region, model.name, backupDir]);
    if (opened?.fingerprint === fingerprint) {
      opened.inputs = inputs;
      return opened.environ;
    }
    const environ = credential?.revoked
      ? refusingEnviron(credential)
      : this.#openEnviron(parts, credential, root);
    this.#open.set(uuid, { inputs, fingerprint, environ });
    return environ;
  }

  /** Returns the environ of a model that is not in the store. Errors: `not found`. */
  environOf(model: ModelDoc, credential: CredentialDoc | undefined): Environ {
    const root = this.#needs.store.read();
    return this.#openEnviron(this.#partsOf(model, root), credential, root);
  }

  async tryCredential(uuid: string, credential: CredentialDoc, signal: AbortSignal): Promise<void> {
    const reader = this.#needs.store.read();
    const parts = this.#find(uuid, reader);
    const environ = this.#openEnviron(parts, credential, reader);
    await environ.instances.list(signal);
  }

  #find(uuid: string, reader: Reader<Entities>): ModelParts {
    const root = reader.in('');
    const model = root.get('model', uuid) ?? root.get('removed-model', uuid);
    if (!model) throw notFound('model', uuid);
    return this.#partsOf(model, reader);
  }

  #partsOf(model: ModelParts['model'], reader: Reader<Entities>): ModelParts {
    const cloud = reader.in('').get('cloud', model.cloud);
    const provider = cloud && this.#needs.providers.get(cloud.type);
    if (!cloud || !provider) throw notFound('cloud', model.cloud);
    return { model, cloud, provider };
  }

  #openEnviron(
    { model, cloud, provider }: ModelParts,
    credential: CredentialDoc | undefined,
    root: Reader<Entities>,
  ): Environ {
    const { sealer, stateDir, dataDir, clock, log } = this.#needs;
    const spec = cloudSpec(cloud, model.region, provider, sealer);
    const providerSettings = Object.fromEntries(
      Object.entries(model.config).filter(([key]) => key in provider.config),
    );
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
      // Defaults are added here, because clouds and models store only the values that users gave.
      config: provider.validate({ ...spec.config, ...openConfig(sealer, provider.config, providerSettings) }),
      controllerUuid: root.get('controller', 'self')!.uuid,
      modelUuid: model.uuid,
      modelName: model.name,
      ...(mode === 'instance' || mode === 'global' || mode === 'none' ? { firewallMode: mode } : {}),
      stateDir,
      privateDirs: [dataDir],
      ...defined({ archivesDir: backupDirOf(root) }),
      clock,
      log: log.module(`grigri.provider.${cloud.type}`),
    });
  }
}

/** Returns the specification of the cloud without its credential. */
function cloudSpec(cloud: CloudDoc, region: string, provider: Provider, sealer: Sealer): CloudSpec {
  const config = inheritedConfig(cloud, region);
  return {
    name: cloud.name,
    type: cloud.type,
    region,
    endpoint: cloud.regions.find((one) => one.name === region)?.endpoint ?? cloud.endpoint,
    config: openConfig(sealer, provider.config, config),
    ...defined({ caCertificates: cloud.caCertificates, skipTlsVerify: cloud.skipTlsVerify || undefined }),
  };
}

/** Returns the environ of a model with a revoked credential: every call fails for that reason. */
function refusingEnviron({ name, owner, cloud, invalidReason }: CredentialDoc): Environ {
  const problem =
    invalidReason === undefined ? 'revoked' : `invalid${invalidReason === '' ? '' : ` (${invalidReason})`}`;
  const refuse = (): Promise<never> =>
    Promise.reject(
      new ProviderError(
        'credential',
        `credential "${name}" of ${owner} for cloud "${cloud}" is ${problem}: update it, or set another one for the model (set-credential)`,
      ),
    );
  return {
    instances: { start: refuse, stop: refuse, list: refuse, get: refuse, controllers: refuse },
    containers: { types: ['lxd'], takeAddress: refuse, releaseAddresses: refuse },
    // A missing capability would be taken for completed work.
    profiles: { assign: refuse },
    constraints: { unsupported: [], conflicts: [], vocabulary: {} },
    precheck: () => Promise.resolve(),
    firewall: { mode: 'instance', set: refuse, rules: refuse },
    create: refuse,
    destroyModel: refuse,
    destroyController: refuse,
  };
}
