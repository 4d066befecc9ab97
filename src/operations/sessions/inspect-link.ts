import { type LinkView, linkViewSchema } from '../../contracts/console/member-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import { type Outcome, succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { findUsableLink, linkOver } from '../../domain/session/link-rules.ts';
import type { OneTimeLink } from '../../domain/session/one-time-link.ts';
import { anybody, consoleRead } from '../operation.ts';

/** The effect of following a link. Inspecting does not use it up. */
export const inspectLink = consoleRead('inspect-link', {
  route: 'POST /link',
  access: anybody,
  body: shape({ secret: text }),
  answer: linkViewSchema,
  run: (queries, { body }, _principal, context) => {
    const found = findUsableLink(queries, body.secret, context);
    if (!found.ok) return found;
    const view = linkView(queries, found.value);
    return view.ok ? succeed({ value: view.value }) : view;
  },
});

function linkView(queries: RecordQueries, link: OneTimeLink): Outcome<LinkView, ConsoleProblem> {
  const { purpose, organisationId, expiresAt } = link;
  const organisationName = queries.organisation(organisationId)?.name;
  const asks = { needsName: true, needsPassword: true, needsOrganisation: purpose.kind === 'first-owner' };
  if (purpose.kind === 'sign-in') return signInView(queries, purpose.memberId, link);
  if (organisationName === undefined) return linkOver();
  const shared = { organisationName, expiresAt };
  switch (purpose.kind) {
    case 'invitation': {
      const { kind, email, role } = purpose;
      return succeed({ kind, email, role, name: null, ...shared, ...asks });
    }
    case 'first-owner':
      return succeed({ kind: 'first-owner', email: null, role: 'owner', name: null, ...shared, ...asks });
  }
}

/** A person without an organisation has no role. */
function signInView(
  queries: RecordQueries,
  memberId: string,
  { expiresAt }: OneTimeLink,
): Outcome<LinkView, ConsoleProblem> {
  const member = queries.member(memberId);
  if (member === undefined) return linkOver();
  const { organisationId, email, name } = member;
  const organisationName = organisationId === null ? null : queries.organisation(organisationId)?.name;
  const role = organisationId === null ? null : member.role;
  const asksNothing = { needsName: false, needsPassword: false, needsOrganisation: false };
  return succeed({
    kind: 'sign-in',
    email,
    role,
    name,
    organisationName: organisationName ?? null,
    expiresAt,
    ...asksNothing,
  });
}
