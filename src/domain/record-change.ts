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
import type { UsedSignIn } from './session/used-sign-in.ts';
import type { Denial, OutboxEntry } from './token/denial.ts';
import type { Token } from './token/token.ts';
import type { TokenUse } from './token/token-use.ts';
import type { EvaluationCount } from './usage/evaluation-count.ts';

/**
 * A record before and after: before is null for a creation, after is null for a deletion. Indexes and the change log
 * follow.
 */
interface Replaced<Kind extends string, T> {
  readonly kind: Kind;
  readonly before: T | null;
  readonly after: T | null;
}

/**
 * A decided change. A command is pure: it reads records, and returns a `Problem` or a list of these. Only the storage
 * adapter turns them into a transaction.
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
  /** Made once, for good. */
  | { readonly kind: 'sign-in-key'; readonly key: string }
  /** Noted; some of those that began before a moment are forgotten. */
  | { readonly kind: 'used-sign-in'; readonly signIn: UsedSignIn; readonly forgetBefore: number }
  /** An answer is kept or forgotten, never changed; forgetting one needs only its head. */
  | {
      readonly kind: 'kept-answer';
      readonly before: KeptAnswerHead | null;
      readonly after: KeptAnswer | null;
    }
  | { readonly kind: 'audit'; readonly entry: AuditEntry }
  | { readonly kind: 'activity'; readonly denial: Denial }
  | { readonly kind: 'token-use'; readonly use: TokenUse }
  /** Added to the stored counts. */
  | { readonly kind: 'evaluation-count'; readonly count: EvaluationCount }
  /** Added to the counts of this node of a cluster, and to the sums of all nodes. */
  | { readonly kind: 'own-evaluations'; readonly count: EvaluationCount }
  /** The counts of all other nodes: with the counts of this one, the sums of all nodes. */
  | { readonly kind: 'other-evaluations'; readonly count: EvaluationCount }
  | { readonly kind: 'outbox'; readonly entry: OutboxEntry }
  /** The attempts with an outbox entry; null: it is settled, and deleted. */
  | {
      readonly kind: 'outbox-delivery';
      readonly sequence: number;
      readonly delivery: OutboxDelivery | null;
    };
