/** Offsets in lmdb's data format 2, in each of the two head pages of a data file. */
const pageBytesAt = 48;
const lastPageAt = 144;

export function pageBytesIn(file: Buffer): number {
  return file.readUInt32LE(pageBytesAt);
}

/** Simulates a commit that took pages at the end and freed them without writing them. */
export function addUnwrittenPages(file: Buffer, pages: bigint): void {
  for (const head of headsIn(file)) {
    file.writeBigUInt64LE(file.readBigUInt64LE(head + lastPageAt) + pages, head + lastPageAt);
  }
}

function headsIn(file: Buffer): readonly [number, number] {
  return [0, pageBytesIn(file)];
}
