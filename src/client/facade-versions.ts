/**
 * Facade → the versions that our own calls are written for (wire.md#announced-facades, wire/agent.ts and
 * wire/facades/lives.ts).
 */
const knownVersions: Readonly<Record<string, readonly number[]>> = {
  Action: [7],
  Admin: [3],
  AgentWatcher: [1],
  AllModelWatcher: [4],
  AllWatcher: [3],
  Annotations: [2],
  Application: [19, 20, 21, 22],
  ApplicationOffers: [5],
  Block: [2],
  Bundle: [6],
  Charms: [6, 7],
  Client: [6, 7, 8],
  Cloud: [7],
  Controller: [11, 12],
  CredentialManager: [1],
  HighAvailability: [2],
  KeyManager: [1],
  Lives: [1],
  MachineAgent: [1],
  MachineManager: [9, 10],
  ModelConfig: [3],
  ModelManager: [9, 10],
  ModelUpgrader: [1],
  Payloads: [1],
  Pinger: [1],
  Provisioning: [1],
  Requirements: [1],
  Resources: [3],
  SSHClient: [4],
  SecretBackends: [1],
  Secrets: [1, 2],
  Spaces: [6],
  Storage: [6, 7],
  Subnets: [5],
  UserManager: [3],
};

/**
 * The highest version that both sides know; 0 when there is none, as Juju's own client sends, so that the server
 * answers `not implemented`. A facade that we know nothing about takes the server's highest.
 */
export function chooseVersion(facade: string, announced: readonly number[]): number {
  const known = Object.hasOwn(knownVersions, facade) ? knownVersions[facade] : undefined;
  return Math.max(0, ...announced.filter((version) => !known || known.includes(version)));
}
