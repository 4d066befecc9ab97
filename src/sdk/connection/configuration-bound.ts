/** The longest configuration that a client takes, in bytes: what it costs the process's memory is a few times as much. */
export const receivedBytesMax = 256 * 1024 * 1024;
