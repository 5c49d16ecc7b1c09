/** Charms for the tests of bundles. */
import { parseCharm } from '../../core/charm/parse-charm.ts';
import type { RemoteEndpoint } from '../../core/remote-application/document.ts';
import type { BundleCharm } from '../../core/bundle/bundle-model.ts';

const config = { options: { port: { type: 'int' } } };
const manifest = { bases: [{ name: 'ubuntu', channel: '24.04' }] };
const bothBases = { bases: ['24.04', '22.04'].map((channel) => ({ name: 'ubuntu', channel })) };

function charm(metadata: object, runsOn: object = manifest): BundleCharm {
  const {
    meta,
    config: options,
    bases,
  } = parseCharm({
    'metadata.yaml': { summary: 's', description: 'd', ...metadata },
    'config.yaml': config,
    'manifest.yaml': runsOn,
  });
  return { meta, config: options, bases };
}

export const mysql = charm({ name: 'mysql', provides: { db: { interface: 'mysql' } } });
export const wordpress = charm({
  name: 'wordpress',
  requires: { db: { interface: 'mysql', optional: false }, cache: { interface: 'memcache' } },
});
export const web = charm({ name: 'web' });
/** Charm with storage, for two bases. */
export const files = charm(
  { name: 'files', storage: { disk: { type: 'filesystem', multiple: { range: '0-' } } } },
  bothBases,
);
/** Charm that requires and provides what `pong` provides and requires. */
export const ping = charm({
  name: 'ping',
  requires: { from: { interface: 'pong', optional: false } },
  provides: { to: { interface: 'ping' } },
});
export const pong = charm({
  name: 'pong',
  requires: { from: { interface: 'ping', optional: false } },
  provides: { to: { interface: 'pong' } },
});
export const logging = charm({
  name: 'logging',
  subordinate: true,
  requires: { logs: { interface: 'logging', scope: 'container' } },
});

/** Endpoints of offers, by their URLs. */
export const offeredAt: Readonly<Record<string, readonly RemoteEndpoint[]>> = {
  'ctrl:admin/data.db': [{ name: 'server', role: 'provider', interface: 'mysql', limit: 0 }],
};
