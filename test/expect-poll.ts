/** Options of vitest's expect.poll for every suite: the default limit of a second is too short on a busy machine. */
export const patientExpect = { poll: { timeout: 50_000, interval: 25 } };
/** Options of expect.poll where a machine or a server has to start first. */
export const patientOnMachines = { poll: { timeout: 150_000, interval: 50 } };
