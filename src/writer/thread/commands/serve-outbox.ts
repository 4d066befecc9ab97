import type { Member } from '../../../domain/member/member.ts';
import { type DenialLetter, denialLetter } from '../../../domain/outbox/denial-letter.ts';
import { afterAttempt, isAttemptDue, type OutboxDelivery } from '../../../domain/outbox/outbox-delivery.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { OutboxEntry } from '../../../domain/token/denial.ts';
import type { OutboxCommand, OutboxPage } from '../../client/outbox-protocol.ts';

/** Entries that one command looks at, and letters that it gives out. */
const entriesLookedAtMax = 200;
const lettersMax = 10;

export interface OutboxDecision {
  readonly changes: readonly RecordChange[];
  /** Null for what is only recorded. */
  readonly page: OutboxPage | null;
}

/** The notifier's commands. An entry is gone once its mail was accepted, or a newer one says all that it would. */
export function serveOutbox(queries: RecordQueries, command: OutboxCommand, now: number): OutboxDecision {
  if (command.kind === 'take') return takeLetters(queries, command, now);
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

/**
 * The 24 hours until a token's next mail begin when this one went out, which is long after its denial where the mail
 * server was away.
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
 * Whether a newer mail of the same token waits, or has gone out meanwhile: one who was not reached for days is told of
 * the newest denial, once. One that has reached some of its recipients still goes to the others.
 */
function isOvertaken(queries: RecordQueries, { denial }: OutboxEntry, delivery?: OutboxDelivery): boolean {
  if ((delivery?.settledMemberIds ?? []).length > 0) return false;
  const token = queries.token(denial.tokenId);
  return token !== undefined && token.denialEmailedAt > denial.at;
}

/** What has nobody to go to any more, or was overtaken by a newer one, is settled with it. */
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
