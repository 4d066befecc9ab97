import type { RecordChange } from '../record-change.ts';
import { type Denial, denialEmailIntervalMs } from './denial.ts';
import type { Token } from './token.ts';

/**
 * The records of a denial: a row on the token's activity page and, at least 24 hours after the last one, an email in
 * the outbox (specification: at most once per token per 24 hours). The token's own revision stays, because the token was not edited.
 *
 * @param token as it is stored now.
 */
export function recordDenial(token: Token, denial: Denial): RecordChange[] {
  const activity: RecordChange = { kind: 'activity', denial };
  if (!isEmailDue(token, denial.at)) return [activity];
  return [
    activity,
    { kind: 'outbox', entry: { kind: 'denial-email', denial } },
    { kind: 'token', before: token, after: { ...token, denialEmailedAt: denial.at } },
  ];
}

/** When a clock was set back, the difference is negative, and no email is sent: "at most once" is the rule. */
function isEmailDue(token: Token, now: number): boolean {
  return token.denialEmailedAt === 0 || now - token.denialEmailedAt >= denialEmailIntervalMs;
}
