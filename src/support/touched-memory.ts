import type { Steps } from './steps.ts';

const pageBytes = 4096;
/** The operating system clears each page on its first write, which takes up to 2 µs in a virtual machine. */
const stepBytes = 16 * pageBytes;

/**
 * Memory whose pages were written to before, for bytes that must be copied in one step: copying a megabyte takes 30 µs
 * into such memory, and up to a millisecond into fresh memory.
 */
export function* touchedMemory(length: number): Steps<Buffer> {
  const memory = Buffer.allocUnsafeSlow(length);
  for (let start = 0; start < length; start += stepBytes) {
    const end = Math.min(length, start + stepBytes);
    for (let at = start; at < end; at += pageBytes) memory[at] = 0;
    yield;
  }
  return memory;
}
