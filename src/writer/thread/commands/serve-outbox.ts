import type { Member } from '../../../domain/member/member.ts';
import { type DenialLetter, denialLetter } from '../../../domain/outbox/denial-letter.ts';
import {
  afterAttempt,
  beginAttempt,
  isAttemptDue,
  type OutboxDelivery,
  whoSends,
} from '../../../domain/outbox/outbox-delivery.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { OutboxEntry } from '../../../domain/token/denial.ts';
import type { OutboxCommand, OutboxPage } from '../../client/outbox-protocol.ts';

/** The most entries that one command reads, and the most letters that it returns. */
const entriesLookedAtMax = 200;
const lettersMax = 10;

export interface OutboxDecision {
  readonly changes: readonly RecordChange[];
  /** Null for a command that only records. */
  readonly page: OutboxPage | null;
  /** Whether another node sends the letter, or has sent it. */
  readonly isTaken?: boolean;
}

/** The notifier's commands. An entry is removed when its mail was accepted, or when a newer entry has overtaken it. */
export function serveOutbox(queries: RecordQueries, command: OutboxCommand, now: number): OutboxDecision {
  if (command.kind === 'take') return takeLetters(queries, command, now);
  if (command.kind === 'begin') return beginLetter(queries, command, now);
  const { sequence } = command;
  if (command.kind === 'settled') {
    const settled: RecordChange = { kind: 'outbox-delivery', sequence, delivery: null };
    return { changes: [settled, ...spaceNextMail(queries, sequence, now)], page: null };
  }
  const { fault, settledMemberIds, isPermanent } = command;
  const attempt = { at: now, fault, settledMemberIds, isPermanent };
  const delivery = afterAttempt(queries.outboxDelivery(sequence), attempt);
  return { changes: [{ kind: 'outbox-delivery', sequence, delivery }], page: null };
}

function beginLetter(
  queries: RecordQueries,
  { sequence, by }: Extract<OutboxCommand, { kind: 'begin' }>,
  now: number,
): OutboxDecision {
  const before = queries.outboxDelivery(sequence);
  const sender = whoSends(before);
  if (sender === by) return { changes: [], page: null };
  const isThere = firstOf(queries.outboxAfter(sequence - 1))?.sequence === sequence;
  if (!isThere || sender !== null) return { changes: [], page: null, isTaken: true };
  return {
    changes: [{ kind: 'outbox-delivery', sequence, delivery: beginAttempt(before, by, now) }],
    page: null,
  };
}

function firstOf<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

/**
 * The 24 hours until a token's next mail begin when this one was sent, which may be long after its denial if the mail
 * server was unreachable.
 */
function spaceNextMail(queries: RecordQueries, sequence: number, now: number): RecordChange[] {
  for (const waiting of queries.outboxAfter(sequence - 1)) {
    if (waiting.sequence !== sequence) break;
    const before = queries.token(waiting.entry.denial.tokenId);
    if (before === undefined || before.denialEmailedAt >= now) break;
    return [{ kind: 'token', before, after: { ...before, denialEmailedAt: now } }];
  }
  return [];
}

/**
 * Whether a newer mail of the same token waits or was sent. A recipient who could not be reached for days gets one mail,
 * with the newest denial. A mail that has reached some of its recipients still goes to the others.
 */
function isOvertaken(queries: RecordQueries, { denial }: OutboxEntry, delivery?: OutboxDelivery): boolean {
  if ((delivery?.settledMemberIds ?? []).length > 0) return false;
  const token = queries.token(denial.tokenId);
  return token !== undefined && token.denialEmailedAt > denial.at;
}

/** Takes a page of the outbox. Letters without recipients, and letters that a newer one has overtaken, are settled. */
function takeLetters(
  queries: RecordQueries,
  { after, retriesFailed }: Extract<OutboxCommand, { kind: 'take' }>,
  now: number,
): OutboxDecision {
  const changes: RecordChange[] = [];
  const letters: DenialLetter[] = [];
  const membersOf = rememberMembers(queries);
  let [lookedAt, failed, last] = [0, 0, after];
  let nextAttemptAt: number | null = null;
  for (const { sequence, entry } of queries.outboxAfter(after)) {
    if (lookedAt === entriesLookedAtMax || letters.length === lettersMax) {
      return { changes, page: { letters, after: last, nextAttemptAt, failed } };
    }
    lookedAt += 1;
    last = sequence;
    const delivery = queries.outboxDelivery(sequence);
    const isFailed = delivery !== undefined && delivery.failedAt !== null;
    if (delivery !== undefined && whoSends(delivery) !== null) {
      failed += 1;
      // It may have been sent, without a recorded outcome.
      changes.push(...spaceNextMail(queries, sequence, delivery.failedAt ?? now));
      continue;
    }
    if (isOvertaken(queries, entry, delivery)) {
      changes.push({ kind: 'outbox-delivery', sequence, delivery: null });
      continue;
    }
    if (isFailed) failed += 1;
    if (isFailed ? retriesFailed : isAttemptDue(delivery, now)) {
      const letter = denialLetter(queries, { sequence, entry, delivery }, membersOf);
      if (letter === null) changes.push({ kind: 'outbox-delivery', sequence, delivery: null });
      else letters.push(letter);
    } else if (!isFailed && delivery !== undefined) {
      nextAttemptAt = Math.min(nextAttemptAt ?? delivery.nextAttemptAt, delivery.nextAttemptAt);
    }
  }
  return { changes, page: { letters, after: null, nextAttemptAt, failed } };
}

/** Reads the members once, when the first letter needs them. */
function rememberMembers(queries: RecordQueries): (organisationId: string) => readonly Member[] {
  let members: readonly Member[] | null = null;
  return (organisationId) => {
    members ??= [...queries.members()];
    return members.filter((member) => member.organisationId === organisationId);
  };
}
