import type { Sealer } from '../../controller/sealer.ts';
import type { Entities, ModelDoc } from '../../core/entities.ts';
import { notFound } from '../../core/errors.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Environ, Provider } from '../../providers/provider.ts';
import type { Reader, Store } from '../../store/store.ts';

/** Opens a model's environment once, and again when its configuration or credential changed. Errors: `not found`. */
export function createEnvirons(needs: {
  store: Store<Entities>;
  providers: ReadonlyMap<string, Provider>;
  stateDir: string;
  /** The controller's own files: machines must not see them. */
  dataDir: string;
  sealer: Sealer;
  clock: Clock;
  log: Log;
}): (model: string, reader: Reader<Entities>) => Environ {
  const opened = (attributes: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, needs.sealer.open(value)]));
  const open = new Map<string, { of: string; environ: Environ }>();
  return (uuid, reader) => {
    const root = reader.in('');
    const model = root.get('model', uuid);
    if (!model) throw notFound('model', uuid);
    const controller = root.get('controller', 'self')!;
    const cloud = root.get('cloud', model.cloud);
    const provider = cloud && needs.providers.get(cloud.type);
    if (!cloud || !provider) throw notFound('cloud', model.cloud);
    const credential = model.credential === '' ? undefined : root.get('credential', model.credential);
    const config = ownConfig(provider, model);
    const of = JSON.stringify([cloud, credential, config, model.name]);
    const known = open.get(uuid);
    if (known?.of === of) return known.environ;
    const environ = provider.open({
      cloud: {
        name: cloud.name,
        type: cloud.type,
        region: model.region,
        endpoint: cloud.endpoint,
        config: cloud.config,
        ...(credential
          ? { credential: { authType: credential.authType, attributes: opened(credential.attributes) } }
          : {}),
      },
      config: { ...cloud.config, ...config },
      controllerUuid: controller.uuid,
      modelUuid: uuid,
      modelName: model.name,
      stateDir: needs.stateDir,
      privateDirs: [needs.dataDir],
      clock: needs.clock,
      log: needs.log.module(`grigri.provider.${cloud.type}`),
    });
    open.set(uuid, { of, environ });
    return environ;
  };
}

function ownConfig(provider: Provider, model: ModelDoc): Record<string, unknown> {
  return Object.fromEntries(Object.entries(model.config).filter(([key]) => key in provider.config));
}
