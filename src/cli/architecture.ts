/** Returns this host's architecture by Go's names, which Juju uses. */
export function architecture(): string {
  return (
    { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64el', s390x: 's390x', riscv64: 'riscv64' }[
      process.arch as string
    ] ?? process.arch
  );
}
