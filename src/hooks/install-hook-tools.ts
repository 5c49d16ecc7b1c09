export interface HookToolsInstallation {
  /** `<dataDir>/tools/unit-mysql-0` and `<dataDir>/tools/machine-3`. */
  readonly dir: string;
  /** What `jujud version` prints before `-ubuntu-<arch>`: `3.6.28`. */
  readonly version: string;
  /** Juju's name: `amd64`, `arm64`. */
  readonly arch: string;
}
