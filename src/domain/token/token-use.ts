/**
 * Requests that a token authenticated and that were not refused as denials: those that did the same within a few seconds
 * are one, with their number. Kept beside the denials, so that a busy token does not push its denials out.
 */
export interface TokenUse {
  readonly tokenId: string;
  /** Of the last of them. */
  readonly at: number;
  /** For example `PATCH /api/v1/flags/{id}`. */
  readonly route: string;
  /** The environment that the query named, if any. */
  readonly environment: string | null;
  readonly address: string;
  readonly count: number;
}
