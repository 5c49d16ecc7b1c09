/** Operations of LXD, which changes an instance by one operation at a time. */
import type { LxdClient } from './client.ts';
import { LxdError } from './client.ts';

interface Operation {
  readonly id: string;
  /** Description: `Creating instance`, `Starting instance`… */
  readonly description: string;
  readonly status_code: number;
  readonly resources?: Readonly<Record<string, readonly string[]>> | null;
}

const sliceSeconds = 10;
/** Maximum number of slices to wait; an operation that takes longer hangs. */
const slicesMax = 120;

/** Lists the running operations on an instance. */
async function operationsOn(client: LxdClient, name: string, signal: AbortSignal): Promise<Operation[]> {
  const byStatus = await client.request<Readonly<Record<string, readonly Operation[] | null>>>(
    { method: 'GET', path: '/1.0/operations', query: { recursion: '1' } },
    signal,
  );
  return Object.values(byStatus)
    .flatMap((operations) => operations ?? [])
    .filter(({ status_code: code }) => code < 200)
    .filter(({ resources }) =>
      Object.values(resources ?? {})
        .flat()
        .some(
          (url) =>
            url.split('?', 1)[0] === `/1.0/instances/${name}` ||
            url.split('?', 1)[0] === `/1.0/containers/${name}`,
        ),
    );
}

/** Waits for the running operations on an instance. Returns true when one of them was a creation that succeeded. */
export async function settle(client: LxdClient, name: string, signal: AbortSignal): Promise<boolean> {
  let made = false;
  for (const { id, description } of await operationsOn(client, name, signal)) {
    const code = await waitFor(client, id, signal);
    if (code === 200 && /^creating/i.test(description)) made = true;
  }
  return made;
}

/** Waits as settle does, but only briefly: an operation may be a user's shell, which lasts for hours. */
export async function pause(client: LxdClient, name: string, signal: AbortSignal): Promise<void> {
  const operations = await operationsOn(client, name, signal);
  await Promise.all(operations.map(({ id }) => waitOnce(client, id, signal)));
}

/** Returns the status code of the operation's end; 404 when LXD has forgotten it; below 200 when it has not ended. */
async function waitFor(client: LxdClient, id: string, signal: AbortSignal): Promise<number> {
  let code = 0;
  for (let slices = 0; code < 200 && slices < slicesMax; slices++) code = await waitOnce(client, id, signal);
  return code;
}

/** Returns the status code after at most one slice of time. */
async function waitOnce(client: LxdClient, id: string, signal: AbortSignal): Promise<number> {
  try {
    const { status_code: code } = await client.request<Operation>(
      { method: 'GET', path: `/1.0/operations/${id}/wait`, query: { timeout: String(sliceSeconds) } },
      signal,
    );
    return code;
  } catch (error) {
    if (error instanceof LxdError && error.status === 404) return 404;
    throw error;
  }
}
