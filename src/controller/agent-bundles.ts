/** Agent bundles that machines download: one archive for each architecture whose parts this controller has. */
export interface AgentBundles {
  /** Architectures by Juju's names, such as `amd64`. */
  readonly archs: readonly string[];
  /** Reason why the bundle of this architecture is missing, and where one could be put; undefined when it exists. */
  absence(arch: string): string | undefined;
  /**
   * The archive: a gzipped tar of `node`, `agent.mjs` and `program.mjs`; of an earlier program that is kept, when
   * `build` names it. Errors: JujuError `not found` with the reason of absence.
   */
  file(arch: string, build?: string): Promise<AgentBundleFile>;
  /** Whether an earlier program is kept. */
  hasBuild(build: string): boolean;
}
export interface AgentBundleFile {
  readonly path: string;
  /** SHA-256 in hex. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
}
