/** Charms that require others, in containers, in circles and beyond, for ModelOfRequirements. */
import { required } from './requirement-model.ts';

const inContainer = { scope: 'container' };
export const requiringCharms = {
  wordpress: {
    requires: { db: required('mysql'), cache: 'memcache' },
    provides: { website: 'http', 'logging-dir': { interface: 'logging', ...inContainer } },
  },
  mysql: { provides: { server: 'mysql' } },
  cluster: { requires: { storage: required('ceph') }, provides: { server: 'mysql' } },
  ceph: { provides: { pool: 'ceph' } },
  mediawiki: { requires: { db: 'mysql' } },
  // Logging as in the specification: a required container relation, and a required global relation.
  logging: {
    subordinate: true,
    requires: { 'logging-directory': required('logging', inContainer), 'logging-master': required('syslog') },
  },
  rsyslog: { provides: { syslog: 'syslog' } },
  monitor: { subordinate: true, requires: { host: { interface: 'monitored', ...inContainer } } },
  keeper: {
    subordinate: true,
    requires: { dir: { interface: 'logging', ...inContainer }, store: required('ceph') },
  },
  // A subordinate that requires another subordinate of its principal.
  tapper: {
    subordinate: true,
    requires: { bus: required('bus', inContainer), host: { interface: 'juju-info', ...inContainer } },
  },
  bus: {
    subordinate: true,
    requires: { host: { interface: 'juju-info', ...inContainer } },
    provides: { tap: { interface: 'bus', ...inContainer } },
  },
  // Charms of which each requires the next.
  ring: { requires: { next: required('ring') }, provides: { prev: 'ring' } },
  tied: { requires: { next: required('ring'), outside: required('mysql') }, provides: { prev: 'ring' } },
  both: { requires: { next: required('ring'), other: required('ring') }, provides: { prev: 'ring' } },
  // A principal and a subordinate that require each other.
  guarded: {
    requires: { guard: required('guard') },
    provides: { post: { interface: 'post', ...inContainer } },
  },
  guard: {
    subordinate: true,
    requires: { post: required('post', inContainer) },
    provides: { guard: 'guard' },
  },
};
