import { type MailState, mailStateSchema } from '../../contracts/console/organisation-views.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Steps } from '../../support/steps.ts';
import { slowReply } from '../list-reply.ts';
import { consoleRead, inOrganisation } from '../operation.ts';

/** The state of the organisation's denial emails in the outbox. Sent ones are no longer in it. */
export const readMailState = consoleRead('read-mail-state', {
  route: 'GET /mail',
  inPieces: true,
  access: inOrganisation('admin'),
  answer: mailStateSchema,
  run: (queries, _request, principal) => slowReply(mailState(queries, ownOrganisation(principal).id)),
});

function* mailState(queries: RecordQueries, organisationId: string): Steps<MailState> {
  let [waiting, failed] = [0, 0];
  let waitingFault: string | null = null;
  let lastFailure: MailState['lastFailure'] = null;
  const isOwn = rememberOwn(queries, organisationId);
  for (const { sequence, entry } of queries.outboxAfter(0)) {
    yield;
    if (!isOwn(entry.denial.tokenId)) continue;
    const { failedAt = null, fault = null } = queries.outboxDelivery(sequence) ?? {};
    if (failedAt === null) {
      waiting += 1;
      waitingFault = fault ?? waitingFault;
    } else {
      failed += 1;
      if (failedAt >= (lastFailure?.at ?? 0)) lastFailure = { at: failedAt, fault: fault ?? '' };
    }
  }
  return { waiting, waitingFault, failed, lastFailure };
}

/** Whether a token belongs to the organisation. The outbox is bounded, and so is the cache of answers. */
function rememberOwn(queries: RecordQueries, organisationId: string): (tokenId: string) => boolean {
  const known = new Map<string, boolean>();
  return (tokenId) => {
    const isKnown = known.get(tokenId);
    if (isKnown !== undefined) return isKnown;
    const token = queries.token(tokenId);
    const isOwn = token !== undefined && queries.project(token.projectId)?.organisationId === organisationId;
    known.set(tokenId, isOwn);
    return isOwn;
  };
}
