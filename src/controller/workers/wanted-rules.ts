/** Open ports that a machine wants (firewall.md#wanted-rules). */
import { exposedRules, type ExposedUnit } from '../../core/application/exposed-rules.ts';
import { allowedIngress } from '../../core/network/saas-ingress.ts';
import { sshOn } from '../../core/network/ssh-allow.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import type { Address, MachineDoc } from '../../core/machine/document.ts';
import type { PortRule } from '../../providers/contract/provider.ts';
import { machinesOf } from '../transactions/end/clear.ts';
import type { View } from '../transactions/tx.ts';

/**
 * Rules of a machine's instance. Each container's rules are for its own address: a port open for one container is not
 * open for the others. SSH is one rule for all containers: a global firewall has the rules of every machine.
 */
export function wantedRules(view: View, host: MachineDoc): PortRule[] {
  const ssh = sshOn(configOf(view)?.['ssh-allow']);
  const containers = machinesOf(view, host.id).filter((id) => id !== host.id);
  const units: PortRule[] = [
    ...containers.flatMap((id) => {
      const rules = exposedRules(unitsOn(view, id), subnetsIn(view));
      const addresses = view.get('machine', id)?.addresses.filter(isFromCloud) ?? [];
      return addresses.flatMap(({ value }) => rules.map((rule) => ({ ...rule, to: value })));
    }),
    ...(containers.length > 0 ? exposedRules([ssh]).map((rule) => ({ ...rule, toContainers: true })) : []),
    ...exposedRules([ssh, ...unitsOn(view, host.id)], subnetsIn(view)),
  ];
  return host.isController && !host.instance?.unmanaged ? [...apiRules(view), ...units] : units;
}

/**
 * True when the machine has a firewall here: a container's ports are opened at its host; a machine that no provider
 * created is left alone.
 */
export function hasFirewall(machine: MachineDoc | undefined): machine is MachineDoc {
  return machine?.instance !== undefined && !machine.instance.unmanaged && machine.parent === undefined;
}

/** Rules for the API port: clients and agents come from anywhere. */
function apiRules(view: View): PortRule[] {
  const port = Number(view.in('').get('controller', 'self')?.config['api-port']);
  return port > 0 ? [{ fromPort: port, toPort: port, protocol: 'tcp', sourceCidrs: [] }] : [];
}

/**
 * True for addresses that the cloud gave the machine: others, known only to its agent, belong to networks within it.
 */
function isFromCloud({ type, scope, origin }: Address): boolean {
  return type !== 'hostname' && scope !== 'local-machine' && origin !== 'machine';
}

/** Ports of the units on a machine: of each once as its application is exposed, and once for its consumers. */
function unitsOn(view: View, machine: string): ExposedUnit[] {
  return [...view.find('unit', 'machine', machine)].flatMap(({ ports, application }) => [
    { ports, exposed: view.get('application', application)?.exposed ?? {} },
    // Consumers reach the application whether it is exposed or not (offers.md#ingress).
    { ports, exposed: { '': { cidrs: consumersOf(view, application), spaces: [] } } },
  ]);
}

function subnetsIn(view: View): (space: string) => string[] {
  return (space) => [...view.find('subnet', 'space', space)].map(({ cidr }) => cidr);
}

/** CIDRs from which units of other models that are related with the application come. */
function consumersOf(view: View, application: string): string[] {
  const cidrs = new Set<string>();
  for (const { remote, life, suspended } of view.find('relation', 'application', application))
    if (life === 'alive' && !suspended) for (const cidr of remote?.offered?.ingress ?? []) cidrs.add(cidr);
  return allowedIngress(configOf(view)?.['saas-ingress-allow'], [...cidrs]);
}

function configOf(view: View): ModelDoc['config'] | undefined {
  return view.in('').get('model', view.space)?.config;
}

/** The union of the rules that many machines want: each rule stays as long as one of them wants it. */
export class RuleUnion {
  readonly #keysByMachine = new Map<string, readonly string[]>();
  readonly #rules = new Map<string, { readonly rule: PortRule; count: number }>();

  /** Replaces the rules that one machine wants. True when the union changed. */
  setRulesOf(machine: string, rules: readonly PortRule[]): boolean {
    let changed = false;
    const keys = rules.map(ruleKey);
    for (const [n, key] of keys.entries()) {
      const known = this.#rules.get(key);
      if (known) known.count++;
      else {
        this.#rules.set(key, { rule: rules[n]!, count: 1 });
        changed = true;
      }
    }
    for (const key of this.#keysByMachine.get(machine) ?? []) {
      const known = this.#rules.get(key)!;
      if (--known.count > 0) continue;
      this.#rules.delete(key);
      changed = true;
    }
    if (keys.length > 0) this.#keysByMachine.set(machine, keys);
    else this.#keysByMachine.delete(machine);
    return changed;
  }

  all(): PortRule[] {
    return [...this.#rules.values()].map(({ rule }) => rule);
  }

  isSame(rules: readonly PortRule[]): boolean {
    const keys = new Set(rules.map(ruleKey));
    return keys.size === this.#rules.size && [...keys].every((key) => this.#rules.has(key));
  }
}

function ruleKey({
  protocol,
  fromPort,
  toPort,
  sourceCidrs,
  to = '',
  toContainers = false,
}: PortRule): string {
  return JSON.stringify([protocol, fromPort, toPort, sourceCidrs.toSorted(), to, toContainers]);
}
