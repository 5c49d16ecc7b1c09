/** Rules of a model's cloud and settings about storage. */
import { JujuError } from '../../../core/errors.ts';
import { storageProviders } from '../../../core/storage/providers.ts';
import type { StorageDirective } from '../../../core/storage/directive.ts';
import type { Environ } from '../../../providers/contract/provider.ts';
import type { Call } from '../../facade.ts';
import type { StorageRules } from '../../transactions/begin/add-storage.ts';
import { configInForce } from './model-config.ts';
import { currentModel } from './model.ts';
import { defined } from '../../../core/defined.ts';

export function storageRules(call: Call): StorageRules {
  const environ = call.services.environ(call.modelUuid, call.read());
  const config: Readonly<Record<string, unknown>> = configInForce(call, currentModel(call));
  const filesystem = text(config['storage-default-filesystem-source']);
  const block = text(config['storage-default-block-source']);
  return {
    providers: providersOf(environ),
    preferred: defined({ filesystem: filesystem ?? block, block }),
  };
}

/** Refuses to release what the model's cloud can only destroy. Errors: `not supported`. */
export function refuseRelease(call: Call, uuid: string): void {
  const view = call.read().in(uuid);
  if (view.count('storage', 'detachable', 'detachable') === 0) return;
  const { storage } = call.services.environ(uuid, call.read());
  if (storage && !storage.release)
    throw new JujuError(
      'not supported',
      `storage provider "${storage.type}" does not support releasing storage`,
    );
}

/** A directive as clients send it: absent and zero members are the same. */
export function directiveOf(wire: {
  readonly pool?: string;
  readonly size?: number;
  readonly count?: number;
}): StorageDirective {
  const { pool, size, count } = wire;
  return defined({ pool: pool || undefined, size: size || undefined, count: count || undefined });
}

function providersOf({ storage, noLoops }: Pick<Environ, 'storage' | 'noLoops'>): StorageRules['providers'] {
  return storageProviders(
    storage && {
      type: storage.type,
      releasable: storage.release !== undefined,
      importable: storage.adopt !== undefined,
    },
    noLoops,
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
