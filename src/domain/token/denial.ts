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
  /** The id in the route, as it was asked for: there may be no such flag, or it is another project's. */
  readonly flagId?: string;
}

interface DenialWords {
  readonly cause: string;
  readonly advice: string;
}

/** Why a token was refused, and what to do about it: on its page and in the mail. */
export const denialWords: Readonly<Record<DenialReason, DenialWords>> = {
  'token-revoked': {
    cause: 'The token has been revoked.',
    advice: 'Give the program that sends it a new token, or stop it.',
  },
  'token-expired': {
    cause: 'The token has expired.',
    advice: 'Create a new token, and put its secret where this one is used.',
  },
  'insufficient-permission': {
    cause: 'The token has read permission, and the request needs write permission.',
    advice: 'Use a token with write permission.',
  },
  'environment-not-permitted': {
    cause: 'The token is limited to other environments.',
    advice: 'Use a token for this environment, or correct the environment of the request.',
  },
  'create-forbidden': {
    cause: 'The request sets state in an environment that the token may not change.',
    advice: 'Leave that state out, or use a token for that environment.',
  },
};

export const denialEmailIntervalMs = 24 * 60 * 60 * 1000;

/** A mail that waits. Recipients are looked up when it is sent, so a member who has left does not get it. */
export interface OutboxEntry {
  readonly kind: 'denial-email';
  readonly denial: Denial;
}
