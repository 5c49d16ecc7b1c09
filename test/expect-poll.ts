/** Options of vitest's expect.poll for every suite: its own limit of a second is nothing on a busy machine. */
export const patientExpect = { poll: { timeout: 50_000, interval: 25 } };
/** Options of expect.poll where a machine or a server has to start first. */
export const patientOnMachines = { poll: { timeout: 150_000, interval: 50 } };
