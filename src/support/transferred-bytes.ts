/** Copying fewer bytes costs less than handing their memory over. */
const copiedBytesMax = 16 * 1024;

/**
 * Memory of long bytes that may be handed to another thread instead of being copied for it, which holds nobody up and
 * takes no second megabyte. Whoever sends has nothing left of them.
 * @param all each with its memory to itself, or null
 * @returns for a message's list of what it transfers
 */
export function transferredBytes(all: readonly (Uint8Array | null)[]): ArrayBuffer[] {
  return all.flatMap((bytes) => {
    if (bytes === null || bytes.length <= copiedBytesMax) return [];
    const { buffer } = bytes;
    return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length ? [buffer] : [];
  });
}
