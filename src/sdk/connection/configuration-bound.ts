/** The longest configuration that a client accepts, in bytes. In memory it takes a few times as much. */
export const receivedBytesMax = 256 * 1024 * 1024;
