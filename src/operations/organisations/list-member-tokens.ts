import { type MemberTokens, memberTokensSchema } from '../../contracts/console/member-views.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { memberOf } from '../../domain/member/member-rules.ts';
import { refuse } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { tokenStatus } from '../../domain/token/token.ts';
import type { Steps } from '../../support/steps.ts';
import { slowReply } from '../list-reply.ts';
import { consoleRead, inOrganisation } from '../operation.ts';

const listedMax = 100;

/** The active tokens that a member has created: they go on working when the member is removed. */
export const listMemberTokens = consoleRead('list-member-tokens', {
  route: 'GET /members/{memberId}/tokens',
  inPieces: true,
  access: inOrganisation('admin'),
  answer: memberTokensSchema,
  run: (queries, { params }, principal, { now }) => {
    const { id } = ownOrganisation(principal);
    const member = memberOf(queries, id, params['memberId'] ?? '');
    if (member === undefined) return refuse('not-found', 'Your organisation has no member with this id.');
    return slowReply(tokensBy(queries, id, member.id, now));
  },
});

function* tokensBy(
  queries: RecordQueries,
  organisationId: string,
  memberId: string,
  now: number,
): Steps<MemberTokens> {
  const tokens: MemberTokens['tokens'] = [];
  let count = 0;
  for (const { id: projectId, name: projectName, organisationId: owner } of queries.projects()) {
    yield;
    if (owner !== organisationId) continue;
    for (const token of queries.tokensOf(projectId)) {
      if (token.createdBy !== memberId || tokenStatus(token, now) !== 'active') continue;
      count += 1;
      if (count <= listedMax) tokens.push({ id: token.id, name: token.name, projectId, projectName });
    }
  }
  return { tokens, more: count - tokens.length };
}
