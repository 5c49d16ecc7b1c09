/** Options of vitest's expect.poll for every suite: its own limit of a second is nothing on a busy machine. */
export const patientExpect = { poll: { timeout: 30_000, interval: 10 } };
