const polynomial = 0xedb88320;

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});

/** @returns the CRC-32 of zip and PNG (polynomial 0x04C11DB7, reflected), from 0 to 2³² - 1. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] as number);
  return (crc ^ 0xffffffff) >>> 0;
}
