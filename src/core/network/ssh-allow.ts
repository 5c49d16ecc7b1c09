/** Networks from which SSH to machines is let in: the model's setting `ssh-allow` (firewall.md#ssh). */
import { notValid } from '../errors.ts';
import type { ExposedUnit } from '../application/exposed-rules.ts';
import { allowedIngress } from './saas-ingress.ts';
import { anyNetwork } from '../relation/side.ts';

/** Port of SSH as if a unit had opened it to the networks of the setting. `setting`: absent = to any. */
export function sshOn(setting: unknown): ExposedUnit {
  const cidrs = allowedIngress(setting, anyNetwork);
  return { ports: { '': ['22/tcp'] }, exposed: { '': { cidrs, spaces: [] } } };
}

/** Refuses to limit SSH where no firewall would do it. `setting`: absent = no limit. Errors: `not valid`. */
export function checkSshAllow(setting: unknown, hasFirewall: boolean): void {
  if (hasFirewall || anyNetwork.every((one) => allowedIngress(setting, anyNetwork).includes(one))) return;
  throw notValid(
    'ssh-allow has no effect on machines without a firewall: limit who may connect on the hosts',
  );
}
