import type { AuditEntry } from './audit/audit-entry.ts';
import type { Audience } from './evaluation/audience.ts';
import type { Flag } from './flag/flag.ts';
import type { KeptAnswer, KeptAnswerHead } from './idempotency/kept-answer.ts';
import type { Member } from './member/member.ts';
import type { Organisation } from './organisation/organisation.ts';
import type { OutboxDelivery } from './outbox/outbox-delivery.ts';
import type { Project } from './project/project.ts';
import type { Identity } from './session/identity.ts';
import type { OneTimeLink } from './session/one-time-link.ts';
import type { Session } from './session/session.ts';
import type { Denial, OutboxEntry } from './token/denial.ts';
import type { Token } from './token/token.ts';
import type { TokenUse } from './token/token-use.ts';
import type { EvaluationCount } from './usage/evaluation-count.ts';

/** A record before and after: null before is a creation, null after a deletion. Indexes and the change log follow. */
interface Replaced<Kind extends string, T> {
  readonly kind: Kind;
  readonly before: T | null;
  readonly after: T | null;
}

/**
 * What a command decides to change. A command is pure: records in, a `Problem` or a list of these out. Only the
 * storage adapter turns them into a transaction.
 */
export type RecordChange =
  | Replaced<'organisation', Organisation>
  | Replaced<'member', Member>
  | Replaced<'project', Project>
  | (Replaced<'flag', Flag> & { readonly environment: string | null })
  | Replaced<'audience', Audience>
  | Replaced<'token', Token>
  | Replaced<'session', Session>
  | Replaced<'one-time-link', OneTimeLink>
  /** Made or ended, never changed. */
  | Replaced<'identity', Identity>
  /** An answer is kept or forgotten, never changed; of one that is forgotten the head is enough. */
  | {
      readonly kind: 'kept-answer';
      readonly before: KeptAnswerHead | null;
      readonly after: KeptAnswer | null;
    }
  | { readonly kind: 'audit'; readonly entry: AuditEntry }
  | { readonly kind: 'activity'; readonly denial: Denial }
  | { readonly kind: 'token-use'; readonly use: TokenUse }
  /** Added to what is stored. */
  | { readonly kind: 'evaluation-count'; readonly count: EvaluationCount }
  | { readonly kind: 'outbox'; readonly entry: OutboxEntry }
  /** What was tried with an outbox entry; null: it is settled, and goes. */
  | {
      readonly kind: 'outbox-delivery';
      readonly sequence: number;
      readonly delivery: OutboxDelivery | null;
    };
