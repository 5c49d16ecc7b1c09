/** A host and port as text: `10.0.0.1:17070`, `[::1]:17070`. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
