import { isEmailAddress, type Member } from '../member/member.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Denial, OutboxEntry } from '../token/denial.ts';
import type { OutboxDelivery } from './outbox-delivery.ts';

export interface Recipient {
  readonly memberId: string;
  readonly name: string;
  readonly email: string;
}

/** A denial email with everything that stands in it, as of when it is sent. */
export interface DenialLetter {
  /** Of its outbox entry. */
  readonly sequence: number;
  readonly denial: Denial;
  readonly tokenName: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly organisationName: string;
  /** Never empty. */
  readonly recipients: readonly Recipient[];
}

interface WaitingEntry {
  readonly sequence: number;
  readonly entry: OutboxEntry;
  readonly delivery: OutboxDelivery | undefined;
}

/**
 * Addresses a denial email to the token's creator, if still a member, and to every Owner, each address once (decisions).
 *
 * @param membersOf of an organisation.
 * @returns null when there is nobody left to send it to, or nothing left to say.
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
  };
}

/** An address that was stored under an older rule, and that no mail could go to, is left out. */
function withoutRepetition(members: readonly Member[]): readonly Recipient[] {
  const byAddress = new Map<string, Recipient>();
  for (const { id: memberId, name, email } of members) {
    const key = email.toLowerCase();
    if (isEmailAddress(email) && !byAddress.has(key)) byAddress.set(key, { memberId, name, email });
  }
  return [...byAddress.values()];
}
