/**
 * Parts with which providers are written outside of this repository: `grigri/provider` (docs/writing-a-provider.md).
 */
export * from './contract/provider.ts';
export type { Base } from '../core/base.ts';
export type { Constraints } from '../core/constraints.ts';
export type { Address } from '../core/machine/document.ts';
export type { Hardware } from '../core/machine/hardware.ts';
export { JujuError, notFound, notValid } from '../core/errors.ts';
export type { FailureClass } from '../core/machine/failure.ts';
export type { Clock } from '../kit/clock.ts';
export { createLocks, type Locks } from '../kit/locks.ts';
export type { Log } from '../kit/log.ts';
export { withFirewallMode } from './toolkit/global-firewall.ts';
export { readJson, writeJson } from './toolkit/json-file.ts';
export { agentCommand, machineTag } from './toolkit/user-data/agent-service.ts';
export { renderInstallScript, renderUserData } from './toolkit/user-data/index.ts';
export { validateConfig } from './toolkit/validate-config.ts';
