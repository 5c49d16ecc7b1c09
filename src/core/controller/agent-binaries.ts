/** Which agents a controller offers (controller-settings.md#agent-binaries). */

/** Binaries that a client looks for; 0.0.0, 0 and '' stand for any. */
interface AgentBinaryFilter {
  readonly number: string;
  readonly major: number;
  readonly arch: string;
  readonly 'os-type': string;
}

/** Architectures of the agents that fit the filter, among those that the controller has. */
export function agentBinariesFor(
  { number, major, arch, 'os-type': os }: AgentBinaryFilter,
  { version, archs }: { readonly version: string; readonly archs: readonly string[] },
): string[] {
  if (number !== '' && number !== '0.0.0' && number !== version) return [];
  // -1 is Juju's word for any major version.
  if (major > 0 && major !== Number(version.split('.')[0])) return [];
  if (os !== '' && os !== 'ubuntu') return [];
  return archs.filter((one) => arch === '' || arch === one);
}
