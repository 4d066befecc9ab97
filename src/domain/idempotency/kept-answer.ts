/** How long an answer is repeated: within 24 hours, so no more at exactly 24. */
export const keptForMs = 24 * 60 * 60 * 1000;

/** The fields of a kept answer by which it is found, counted and forgotten. */
export interface KeptAnswerHead {
  readonly projectId: string;
  readonly tokenId: string;
  /** The client's choice; it belongs to the token. */
  readonly key: string;
  /** Unix milliseconds. */
  readonly keptAt: number;
  /** Bytes that count toward the project's limit. */
  readonly bytes: number;
}

/** The 201 of a create that was sent with an `Idempotency-Key`. */
export interface KeptAnswer extends KeptAnswerHead {
  /** SHA-256 of the request's body, 32 bytes. */
  readonly requestHash: Uint8Array;
  readonly entityTag: string | null;
  readonly nameTakenBy: string | null;
  /** JSON text, repeated byte for byte. */
  readonly body: string;
}

/** The sums of a project's kept answers. */
export interface KeptAnswersUsage {
  readonly entries: number;
  readonly bytes: number;
}

/** An upper estimate of the ids, times, hash, tag and index entries of one kept answer. */
const fixedBytes = 256;
const encoder = new TextEncoder();

export function keptBytes(key: string, body: string): number {
  return fixedBytes + key.length + encoder.encode(body).length;
}

/** When a clock was set back, the difference is negative, and the answer stays: "creates nothing" is the rule. */
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
