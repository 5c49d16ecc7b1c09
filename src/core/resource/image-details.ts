import { isMap, readText } from '../charm/raw.ts';
import { notValid } from '../errors.ts';

/** Where an image is, and the login there. */
interface ImageDetails {
  readonly registrypath: string;
  readonly username: string;
  readonly password: string;
}

/** Reads the description of an OCI image, as parsed from JSON or YAML. Errors: `not valid`. */
export function readImageDetails(raw: unknown): ImageDetails {
  if (!isMap(raw)) throw notValid('OCI image: expected a map with registrypath');
  const lowered = Object.fromEntries(Object.entries(raw).map(([key, value]) => [key.toLowerCase(), value]));
  const registrypath = readText(lowered['registrypath'] ?? lowered['imagename'], 'OCI image: registrypath');
  if (registrypath === '') throw notValid('OCI image: registrypath: expected string, got nothing');
  return {
    registrypath,
    username: readText(lowered['username'], 'OCI image: username'),
    password: readText(lowered['password'], 'OCI image: password'),
  };
}
