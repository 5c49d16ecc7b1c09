import { isIP } from 'node:net';

/** Converts `10.0.0.5:17070` or `[fd00::5]:17070` to a flat HostPort. */
export function flatHostPort(address: string): Record<string, unknown> {
  const colon = address.lastIndexOf(':');
  const value = address.slice(0, colon).replace(/^\[|\]$/g, '');
  const family = isIP(value);
  return {
    value,
    type: family === 4 ? 'ipv4' : family === 6 ? 'ipv6' : 'hostname',
    scope: scopeOf(value, family),
    port: Number(address.slice(colon + 1)),
  };
}

function scopeOf(value: string, family: number): string {
  if (value === 'localhost' || value === '::1' || (family === 4 && value.startsWith('127.')))
    return 'local-machine';
  const isPrivate =
    /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.)/.test(value) || /^f[cd]|^fe80/i.test(value);
  return family !== 0 && isPrivate ? 'local-cloud' : 'public';
}
