import { isEmailAddress, type Member } from '../member/member.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Denial, OutboxEntry } from '../token/denial.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';

export interface Recipient {
  readonly memberId: string;
  readonly name: string;
  readonly email: string;
}

/** A denial email with its whole content, as of the time of sending. */
export interface DenialLetter {
  /** Sequence of its outbox entry. */
  readonly sequence: number;
  readonly denial: Denial;
  readonly tokenName: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly organisationName: string;
  /** Of the flag that the request named, if the project has it now. */
  readonly flagName: string | null;
  /** Never empty. */
  readonly recipients: readonly Recipient[];
}

interface WaitingEntry {
  readonly sequence: number;
  readonly entry: OutboxEntry;
  readonly delivery: OutboxDelivery | undefined;
}

/**
 * Addresses a denial email to the token's creator, if still a member, and to every Owner, each address once
 * (decisions).
 *
 * @param membersOf an organisation.
 * @returns null when no recipient is left, or the records that it names are deleted.
 */
export function denialLetter(
  queries: RecordQueries,
  { sequence, entry, delivery }: WaitingEntry,
  membersOf: (organisationId: string) => readonly Member[],
): DenialLetter | null {
  const { denial } = entry;
  const token = queries.token(denial.tokenId);
  const project = token === undefined ? undefined : queries.project(token.projectId);
  const organisation =
    project?.organisationId == null ? undefined : queries.organisation(project.organisationId);
  if (token === undefined || project === undefined || organisation === undefined) return null;
  const concerned = membersOf(organisation.id).filter(
    ({ id, role }) => id === token.createdBy || role === 'owner',
  );
  const recipients = withoutRepetition(concerned).filter(
    ({ memberId }) => !(delivery?.settledMemberIds ?? []).includes(memberId),
  );
  if (recipients.length === 0) return null;
  return {
    ...{ sequence, denial, recipients, tokenName: token.name },
    ...{ projectId: project.id, projectName: project.name, organisationName: organisation.name },
    flagName: flagNameOf(queries, project.id, denial.flagId),
  };
}

function flagNameOf(queries: RecordQueries, projectId: string, flagId: string | undefined): string | null {
  const flag = flagId === undefined ? undefined : queries.flag(flagId);
  return flag?.projectId === projectId ? flag.name : null;
}

/** An address to which no mail could be sent is left out. */
function withoutRepetition(members: readonly Member[]): readonly Recipient[] {
  const byAddress = new Map<string, Recipient>();
  for (const { id: memberId, name, email } of members) {
    const key = email.toLowerCase();
    if (isEmailAddress(email) && !byAddress.has(key)) byAddress.set(key, { memberId, name, email });
  }
  return [...byAddress.values()];
}
