/**
 * Requests that a token authenticated and that were no denials. Equal requests of a few seconds are one use, with their
 * number. Stored apart from the denials, so that a busy token does not displace its denials.
 */
export interface TokenUse {
  readonly tokenId: string;
  /** Time of the last of them. */
  readonly at: number;
  /** For example `PATCH /api/v1/flags/{id}`. */
  readonly route: string;
  /** The environment that the query named, if any. */
  readonly environment: string | null;
  readonly address: string;
  readonly count: number;
}
