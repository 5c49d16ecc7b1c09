/** A host and port as text: `10.0.0.1:17070`, `[::1]:17070`. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The host of `host:port` as hostPort makes it: `10.0.0.1`, `::1`. */
export function hostOf(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}
