import { memberView, memberViewSchema } from '../../contracts/console/member-views.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import type { Member } from '../../domain/member/member.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { listOf } from '../body-parts.ts';
import { consoleRead, inOrganisation } from '../operation.ts';

/** Reading a member takes some 5 µs: after this many members a worker checks for other work. */
const membersAtOnce = 50;

/** By name, then id. In pieces, because there may be thousands. */
export const listMembers = consoleRead('list-members', {
  route: 'GET /members',
  inPieces: true,
  access: inOrganisation('viewer'),
  answer: listOf('members', memberViewSchema),
  run: (queries, _request, principal) => {
    const text = listInPieces(queries, ownOrganisation(principal).id);
    return succeed({ pieces: { contentType: 'application/json', text } });
  },
});

function* listInPieces(queries: RecordQueries, organisationId: string): Generator<string> {
  const found: { readonly member: Member; readonly order: Buffer }[] = [];
  let walked = 0;
  for (const member of queries.members()) {
    if (member.organisationId === organisationId) {
      found.push({ member, order: Buffer.from(`${member.name}\0${member.id}`) });
    }
    walked += 1;
    if (walked % membersAtOnce === 0) yield '';
  }
  found.sort((one, other) => Buffer.compare(one.order, other.order));
  yield '{"members":[';
  for (const [index, { member }] of found.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(memberView(queries, member))}`;
  }
  yield ']}';
}
