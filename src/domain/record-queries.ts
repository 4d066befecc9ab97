import type { ChainedEntry, SequencedHead } from './audit/audit-entry.ts';
import type { Audience } from './evaluation/audience.ts';
import type { Flag } from './flag/flag.ts';
import type { KeptAnswer, KeptAnswerHead, KeptAnswersUsage } from './idempotency/kept-answer.ts';
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

/** The entries of a ledger that are walked. */
export interface AuditRange {
  /** Below this sequence, which counts from 1. */
  readonly before?: number;
  /**
   * A project or a target: only its entries.
   */
  readonly subjectId?: string;
}

/** The size of a project: its number of flags, and the bytes of the records of flags and audiences. */
export interface ProjectRecords {
  readonly flags: number;
  readonly bytes: number;
}

/** A flag's place in lists, which are by name (UTF-8 order), then id. */
export interface FlagPlace {
  readonly name: string;
  readonly id: string;
}

/**
 * The queries of the rules, on one consistent state. The storage adapter answers from a snapshot (worker) or from the
 * open write transaction (writer). Iterables are lazy and must be consumed before the caller awaits anything.
 */
export interface RecordQueries {
  organisation(id: string): Organisation | undefined;
  project(id: string): Project | undefined;
  /** The id of the project that has the slug, or had it before (`project-slug.ts`). */
  projectWithSlug(slug: string): string | undefined;
  flag(id: string): Flag | undefined;
  audience(id: string): Audience | undefined;
  token(id: string): Token | undefined;
  /** @param secretHash SHA-256 of the part of the secret after the last underscore, 32 bytes. */
  tokenBySecretHash(secretHash: Uint8Array): Token | undefined;
  member(id: string): Member | undefined;
  /** Compared without regard to case; of every organisation and of none. */
  membersByEmail(email: string): Iterable<Member>;
  session(id: string): Session | undefined;
  /** Also one that has ended. @param secretHash SHA-256, 32 bytes */
  sessionBySecretHash(secretHash: Uint8Array): Session | undefined;
  /** Also those that have ended, until they are deleted. */
  sessionsOf(memberId: string): Iterable<Session>;
  oneTimeLink(id: string): OneTimeLink | undefined;
  /** Also one that is over. @param secretHash SHA-256, 32 bytes */
  oneTimeLinkBySecretHash(secretHash: Uint8Array): OneTimeLink | undefined;
  /** Every kind, also those that are over, until they are deleted. */
  oneTimeLinksOf(organisationId: string): Iterable<OneTimeLink>;
  identity(issuer: string, subject: string): Identity | undefined;
  identitiesOf(memberId: string): Iterable<Identity>;
  /** A secret of the store, made when it is first needed: sign-ins at the OpenID provider are sealed with it. */
  signInKey(): string | undefined;
  isSignInUsed(signIn: UsedSignIn): boolean;
  organisations(): Iterable<Organisation>;
  members(): Iterable<Member>;
  projects(): Iterable<Project>;
  /** By name (UTF-8 order), then id. With `name`: exactly the flags of that name. */
  flagsOf(projectId: string, name?: string): Iterable<Flag>;
  /** The id of the flag that answers to a name, current or former (`flag-name.ts`). */
  flagNamed(projectId: string, name: string): string | undefined;
  /** In the same order, those after a place, whether or not a flag is there. */
  flagsAfter(projectId: string, place: FlagPlace): Iterable<Flag>;
  /** In the same order, those whose records are longer: the others are not decoded. */
  flagsLongerThan(projectId: string, bytes: number): Iterable<Flag>;
  /** In the same order, from the index alone: no flag is read. */
  flagPlacesOf(projectId: string, name?: string): Iterable<FlagPlace>;
  /** In the same order: every flag that applies the audience, and possibly some that do not. */
  flagsNaming(projectId: string, audienceId: string): Iterable<Flag>;
  /** The size of the project's flags and audiences, counted in the transactions that write them. */
  projectRecords(projectId: string): ProjectRecords;
  audiencesOf(projectId: string): Iterable<Audience>;
  /** The same, but only the beginnings of the records are read, unverified. */
  audienceNamesOf(projectId: string): Iterable<Pick<Audience, 'id' | 'name'>>;
  tokensOf(projectId: string): Iterable<Token>;
  /** Newest first. */
  auditOf(ledgerId: string, range?: AuditRange): Iterable<ChainedEntry>;
  /** The same as `auditOf`, for repeated reads of the newest entries: their heads are kept in memory. */
  auditHeadsOf(ledgerId: string, range?: AuditRange): Iterable<SequencedHead>;
  /** The newest sequence of the ledger that was dropped because of its age; 0 for none. */
  auditDroppedThrough(ledgerId: string): number;
  /** The history to which the ledgers' sequences belong: another one after a restore, because sequences are then used again. */
  auditHistory(): string;
  /** Sequence of the ledger's newest entry, from its key alone; 0 for none. */
  newestAuditSequence(ledgerId: string): number;
  /** Newest first. */
  denialsOf(tokenId: string): Iterable<Denial>;
  /** Newest first. */
  usesOf(tokenId: string): Iterable<TokenUse>;
  /** Counts of each environment in which the flag was evaluated. @param hour Unix milliseconds of its beginning */
  evaluationCounts(flagId: string, hour: number): readonly EvaluationCount[];
  /** Oldest first. */
  outboxAfter(sequence: number): Iterable<{ readonly sequence: number; readonly entry: OutboxEntry }>;
  outboxDelivery(sequence: number): OutboxDelivery | undefined;
  /** Also one that has expired, until it is forgotten. */
  keptAnswer(tokenId: string, key: string): KeptAnswer | undefined;
  /** Oldest first. */
  keptAnswersOf(projectId: string): Iterable<KeptAnswerHead>;
  keptAnswersUsage(projectId: string): KeptAnswersUsage;
  /** The first project, by id, that keeps answers; with an id, the first one after it. */
  projectKeepingAnswers(afterProjectId: string | null): string | undefined;
}
