import { readAnonymousBytes } from './anonymous-memory.ts';
import { type HeldStreams, type OpenStreams, openStreams } from './sync-streams.ts';

/** Streams opened before memory is read, so that memory that all streams share is not counted. */
const streamsBefore = 10;

export interface MeasuredStreams {
  readonly streams: OpenStreams;
  /** Memory of the server for each of them. */
  readonly bytes: number;
}

/**
 * Opens streams, and measures what they add to the memory of their server. The server must be fresh: memory that an earlier
 * round has left free would hide what the streams need.
 */
export async function openMeasured(pid: number, held: HeldStreams): Promise<MeasuredStreams> {
  const few = await openStreams({ ...held, count: streamsBefore });
  try {
    const before = readAnonymousBytes(pid);
    const streams = await openStreams(held);
    return { streams, bytes: Math.max(0, readAnonymousBytes(pid) - before) / held.count };
  } finally {
    await few.end();
  }
}
