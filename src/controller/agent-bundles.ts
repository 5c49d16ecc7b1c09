/** What machines download to run their agent: made once of each architecture that this controller has the parts of. */
export interface AgentBundles {
  /** Juju's names: `amd64`. */
  readonly archs: readonly string[];
  /** The archive: a gzipped tar of `node` and `agent.mjs`. Errors: JujuError `not found`, naming what there is. */
  file(arch: string): Promise<AgentBundleFile>;
}
export interface AgentBundleFile {
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}
