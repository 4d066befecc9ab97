export const denialReasons = [
  'token-revoked',
  'token-expired',
  'insufficient-permission',
  'environment-not-permitted',
  'create-forbidden',
] as const;
export type DenialReason = (typeof denialReasons)[number];

/** The refusal of a real token: recorded on the token's activity page, and mailed at most once in 24 hours. */
export interface Denial {
  readonly tokenId: string;
  readonly at: number;
  readonly reason: DenialReason;
  /** For example `PATCH /api/v1/flags/{id}`. */
  readonly route: string;
  /** The environment the request named, if any. */
  readonly environment: string | null;
  readonly address: string;
}

/** Number of newest rows of a token that are kept. */
export const activityRowsMax = 1000;
export const denialEmailIntervalMs = 24 * 60 * 60 * 1000;

/** A mail that waits. Recipients are looked up when it is sent, so a member who has left does not get it. */
export interface OutboxEntry {
  readonly kind: 'denial-email';
  readonly denial: Denial;
}
