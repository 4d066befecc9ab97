/** Where lmdb's data format 2 keeps what the tests look at, in each of the two pages at the head of a data file. */
const pageBytesAt = 48;
const lastPageAt = 144;

export function pageBytesIn(file: Buffer): number {
  return file.readUInt32LE(pageBytesAt);
}

/** As if a commit had taken pages at the end, freed them, and so never wrote them. */
export function addUnwrittenPages(file: Buffer, pages: bigint): void {
  for (const head of headsIn(file)) {
    file.writeBigUInt64LE(file.readBigUInt64LE(head + lastPageAt) + pages, head + lastPageAt);
  }
}

function headsIn(file: Buffer): readonly [number, number] {
  return [0, pageBytesIn(file)];
}
