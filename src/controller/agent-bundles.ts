/** What machines download to run their agent: made once of each architecture that this controller has the parts of. */
export interface AgentBundles {
  /** Juju's names: `amd64`. */
  readonly archs: readonly string[];
  /** Why there is none of this architecture, and where one could be put; undefined: there is. */
  absence(arch: string): string | undefined;
  /** The archive: a gzipped tar of `node` and `agent.mjs`. Errors: JujuError `not found`: its absence. */
  file(arch: string): Promise<AgentBundleFile>;
}
export interface AgentBundleFile {
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}
