import type { Member } from '../../domain/member/member.ts';
import { membersOf } from '../../domain/member/member-rules.ts';
import { shown } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ProvisionScope } from './provision-scope.ts';

/** What becomes of a member; `before` is null when it is new. */
export interface DeclaredEdit {
  readonly before: Member | null;
  readonly after: Member;
}

/**
 * The rule of the last Owner, on what the whole organisation declares: roles may change places in one file. Where an Owner
 * could sign in before, one must be able to afterwards.
 *
 * @param path of the organisation's members in the file.
 */
export function refuseWithoutOwner(
  scope: ProvisionScope,
  organisation: { readonly id: string; readonly name: string },
  edits: readonly DeclaredEdit[],
  path: string,
): void {
  const { queries, problems } = scope;
  const demoted = edits.flatMap(({ before, after }) =>
    before?.role === 'owner' && after.role !== 'owner' ? [before] : [],
  );
  if (demoted.length === 0) return;
  const owners = ownersAfter(queries, organisation.id, edits);
  if (owners.some((owner) => signsIn(queries, owner))) return;
  if (owners.length > 0 && !demoted.some((owner) => signsIn(queries, owner))) return;
  const { name } = organisation;
  problems.add(
    () =>
      `${path} leave the organisation "${shown(name)}" without an Owner who can sign in: keep one, or give another member the role owner and a password`,
  );
}

function ownersAfter(
  queries: RecordQueries,
  organisationId: string,
  edits: readonly DeclaredEdit[],
): readonly Member[] {
  const members = new Map<string, Member>();
  for (const member of membersOf(queries, organisationId)) members.set(member.id, member);
  for (const { after } of edits) members.set(after.id, after);
  return [...members.values()].filter(({ role }) => role === 'owner');
}

/** By password or by an account at an OpenID provider. */
function signsIn(queries: RecordQueries, { id, passwordHash }: Member): boolean {
  if (passwordHash !== null) return true;
  for (const _ of queries.identitiesOf(id)) return true;
  return false;
}
