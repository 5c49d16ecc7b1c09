import type { Facades } from '../wire/facades/index.ts';

/**
 * The versions that our calls are written for. The type holds them to what wire/facades/ declares; the values are not
 * imported from there, because every command and agent would build all schemas as it starts.
 */
const knownVersions: { readonly [N in keyof Facades]: Facades[N]['versions'] } = {
  Action: [7],
  AgentWatcher: [1],
  AllWatcher: [3],
  Annotations: [2],
  Application: [19, 20, 21],
  Bundle: [6],
  Charms: [6, 7],
  Client: [6, 8],
  Cloud: [7],
  Controller: [11, 12],
  Lives: [1],
  LocalImages: [1],
  MachineAgent: [1],
  MachineManager: [9, 10],
  ModelConfig: [3],
  ModelManager: [9, 10],
  Pinger: [1],
  Provisioning: [1],
  Requirements: [1],
  Resources: [3],
  StoreReport: [1],
  StringsWatcher: [1],
};

/**
 * The highest version that both sides know; 0 when there is none, as Juju's own client sends, so that the server
 * answers `not implemented`. A facade that we know nothing about takes the server's highest.
 */
export function chooseVersion(facade: string, announced: readonly number[]): number {
  const known: readonly number[] | undefined = Object.hasOwn(knownVersions, facade)
    ? knownVersions[facade as keyof Facades]
    : undefined;
  return Math.max(0, ...announced.filter((version) => !known || known.includes(version)));
}
