import { readAnonymousBytes } from './anonymous-memory.ts';
import { type HeldStreams, type OpenStreams, openStreams } from './sync-streams.ts';

/** Opened before memory is read, so that what the service makes once for all streams is not counted. */
const streamsBefore = 10;

export interface MeasuredStreams {
  readonly streams: OpenStreams;
  /** Memory of the server for each of them. */
  readonly bytes: number;
}

/**
 * Opens streams, and reads what they add to the memory of their server. That must be one which nobody has asked before:
 * memory that an earlier round left free would hide this one's.
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
