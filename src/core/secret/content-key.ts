/** The key of a content of a secret: which backend has it, for which model (secrets.md#backends). */
interface ContentKey {
  /** Id of the secret backend; '' = the controller's own. */
  readonly backend: string;
  /** UUID of the model. */
  readonly model: string;
  /** The secret, and what tells its contents apart. */
  readonly name: string;
}

export function joinContentKey({ backend, model, name }: ContentKey): string {
  return `${backend === '' ? '' : `${backend}:`}${model}/${name}`;
}

export function readContentKey(key: string): ContentKey {
  const slash = key.indexOf('/');
  const place = key.slice(0, slash);
  const colon = place.indexOf(':');
  return {
    backend: place.slice(0, Math.max(colon, 0)),
    model: place.slice(colon + 1),
    name: key.slice(slash + 1),
  };
}
