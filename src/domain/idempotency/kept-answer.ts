/** How long an answer is given again: within 24 hours, so no more at exactly 24. */
export const keptForMs = 24 * 60 * 60 * 1000;

/** What a project may keep at once. */
export const keptAnswersMax: KeptAnswersUsage = { entries: 10_000, bytes: 64 * 1024 * 1024 };

/** Enough of a kept answer to find it, to count it and to forget it. */
export interface KeptAnswerHead {
  readonly projectId: string;
  readonly tokenId: string;
  /** As the client chose it; it belongs to the token. */
  readonly key: string;
  /** Unix milliseconds. */
  readonly keptAt: number;
  /** What it counts toward the project's limit. */
  readonly bytes: number;
}

/** The 201 of a create that was sent with an `Idempotency-Key`. */
export interface KeptAnswer extends KeptAnswerHead {
  /** SHA-256 of the request's body, 32 bytes. */
  readonly requestHash: Uint8Array;
  readonly entityTag: string;
  /** JSON text, given again byte for byte. */
  readonly body: string;
}

/** What a project keeps, together. */
export interface KeptAnswersUsage {
  readonly entries: number;
  readonly bytes: number;
}

/** Ids, times, hash, tag and index entries of one kept answer, generously. */
const fixedBytes = 256;
const encoder = new TextEncoder();

export function keptBytes(key: string, body: string): number {
  return fixedBytes + key.length + encoder.encode(body).length;
}

/** A clock that has gone back makes the difference negative, and the answer stays: «creates nothing» is the rule. */
export function isForgettable({ keptAt }: KeptAnswerHead, now: number): boolean {
  return now - keptAt >= keptForMs;
}

export function fitsIn(usage: KeptAnswersUsage, limit: KeptAnswersUsage): boolean {
  return usage.entries <= limit.entries && usage.bytes <= limit.bytes;
}

/** @returns the usage with one answer more, or one less. */
export function changeUsage(
  usage: KeptAnswersUsage,
  { bytes }: KeptAnswerHead,
  by: 1 | -1,
): KeptAnswersUsage {
  return { entries: usage.entries + by, bytes: usage.bytes + by * bytes };
}
