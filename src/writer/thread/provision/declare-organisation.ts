import { stepInto } from '../../../contracts/compiled-schema.ts';
import type {
  DeclaredMember,
  DeclaredOrganisation,
} from '../../../contracts/provision/provision-document.ts';
import type { AuditChange } from '../../../domain/audit/audit-entry.ts';
import { membersMax } from '../../../domain/bounds.ts';
import type { Member } from '../../../domain/member/member.ts';
import { membersOf } from '../../../domain/member/member-rules.ts';
import type { Organisation } from '../../../domain/organisation/organisation.ts';
import { shown } from '../../../domain/problem-list.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { withdrawLinksOfRole, withdrawSignInLinks } from '../../../domain/session/link-rules.ts';
import { endSessions } from '../../../domain/session/session-changes.ts';
import type { PasswordDecision } from '../../client/provision-protocol.ts';
import { changePlan } from '../commands/set-plan.ts';
import { addTo, type ProvisionDirectory } from './provision-directory.ts';
import type { ProvisionScope } from './provision-scope.ts';

/** Finds an organisation by its name, or creates it; then its members. */
export function declareOrganisation(
  scope: ProvisionScope,
  directory: ProvisionDirectory,
  declared: DeclaredOrganisation,
  path: string,
): Organisation {
  const name = declared.name.trim();
  const known = scope.single(directory.organisations.get(name) ?? [], stepInto(path, 'name'), name);
  const organisation =
    known === undefined ? createOrganisation(scope, declared) : editOrganisation(scope, known, declared);
  const membersPath = stepInto(path, 'members');
  const edits = (declared.members ?? []).map((member, index) =>
    declareMember(scope, directory, member, organisation, stepInto(membersPath, index)),
  );
  refuseWithoutOwner(scope, organisation, edits, membersPath);
  return organisation;
}

function createOrganisation(scope: ProvisionScope, declared: DeclaredOrganisation): Organisation {
  const organisation: Organisation = {
    id: scope.newId(),
    name: declared.name.trim(),
    plan: declared.plan,
    trialEndsAt: declared.trialEndsAt ?? null,
    subscription: declared.subscription ?? 'active',
    createdAt: scope.now,
    revision: 1,
  };
  const { name, plan, trialEndsAt, subscription } = organisation;
  scope.count('created');
  scope.change(
    { kind: 'organisation', before: null, after: organisation },
    {
      ...entryOf(organisation, 'organisation.create'),
      changes: created({ name, plan, trialEndsAt, subscription }),
    },
  );
  return organisation;
}

function editOrganisation(
  scope: ProvisionScope,
  before: Organisation,
  declared: DeclaredOrganisation,
): Organisation {
  const { after, changes } = changePlan(before, declared);
  scope.count(changes.length === 0 ? 'unchanged' : 'changed');
  if (changes.length === 0) return before;
  const entry = { ...entryOf(before, 'organisation.set-plan'), changes };
  scope.change({ kind: 'organisation', before, after }, entry);
  return after;
}

function entryOf<Action extends 'organisation.create' | 'organisation.set-plan'>(
  { id, name }: Organisation,
  action: Action,
) {
  return { ledgerId: id, projectId: null, action, targetId: id, targetName: name };
}

function declareMember(
  scope: ProvisionScope,
  directory: ProvisionDirectory,
  declared: DeclaredMember,
  organisation: Organisation,
  path: string,
): DeclaredEdit {
  const email = declared.email.toLowerCase();
  const found = (directory.members.get(email) ?? []).filter(
    ({ organisationId }) => organisationId === organisation.id,
  );
  const known = scope.single(found, stepInto(path, 'email'), declared.email);
  const password = scope.request.passwords.get(path);
  if (known !== undefined) return editMember(scope, known, declared, password, path);
  addMemberCountProblem(scope, directory, organisation, path);
  const after = createMember(scope, declared, organisation.id, password, organisation.id);
  addTo(directory.members, email, after);
  return { before: null, after };
}

function addMemberCountProblem(
  { problems }: ProvisionScope,
  { members }: ProvisionDirectory,
  organisation: Organisation,
  path: string,
): void {
  const known = [...members.values()].flat().filter((member) => member.organisationId === organisation.id);
  if (known.length < membersMax) return;
  problems.add(() => `${path}: the organisation has ${membersMax} members, which is the limit`);
}

/** @param ledgerId the audit chain that gets the entry. */
export function createMember(
  scope: ProvisionScope,
  declared: Omit<DeclaredMember, 'password'>,
  organisationId: string | null,
  password: PasswordDecision | undefined,
  ledgerId: string,
): Member {
  const { email, role } = declared;
  const name = declared.name.trim();
  const passwordHash = password?.kind === 'set' ? password.passwordHash : null;
  const id = scope.newId();
  const member: Member = {
    ...{ id, organisationId, name, email, role, passwordHash },
    createdAt: scope.now,
    lastSignInAt: null,
    revision: 1,
  };
  const projectId = organisationId === null ? ledgerId : null;
  scope.count('created');
  scope.change(
    { kind: 'member', before: null, after: member },
    {
      ...{ ledgerId, projectId, action: 'member.create', targetId: id, targetName: name },
      changes: [...created({ name, email, role }), ...(passwordHash === null ? [] : [passwordChange])],
    },
  );
  return member;
}

/** The entry says that a password was set, and nothing about it. */
const passwordChange: AuditChange = { field: 'password', before: null, after: 'set' };

function editMember(
  scope: ProvisionScope,
  before: Member,
  declared: DeclaredMember,
  password: PasswordDecision | undefined,
  path: string,
): DeclaredEdit {
  if (password?.kind === 'keep' && password.passwordHash !== before.passwordHash) {
    scope.problems.add(() => `${path}.password was changed by someone else just now; apply the file again`);
  }
  const passwordHash = password?.kind === 'set' ? password.passwordHash : before.passwordHash;
  const after: Member = {
    ...before,
    ...{ name: declared.name.trim(), email: declared.email, role: declared.role, passwordHash },
    revision: before.revision + 1,
  };
  const fields = (['name', 'email', 'role'] as const).filter((field) => before[field] !== after[field]);
  const changes = fields.map((field): AuditChange => ({ field, before: before[field], after: after[field] }));
  if (passwordHash !== before.passwordHash) changes.push(passwordChange);
  scope.count(changes.length === 0 ? 'unchanged' : 'changed');
  if (changes.length === 0) return { before, after: before };
  const ledgerId = before.organisationId ?? before.id;
  const { id, name } = after;
  const entry = { ledgerId, projectId: null, action: 'member.edit', targetId: id, targetName: name } as const;
  scope.change(
    { kind: 'member', before, after },
    { ...entry, changes },
    endsOf(scope.queries, before, after),
  );
  return { before, after };
}

/**
 * A new password ends every session. Like a new role, it also ends the links that sign the member in. A new role ends
 * more.
 */
function* endsOf(queries: RecordQueries, before: Member, after: Member): Generator<RecordChange> {
  const isNewPassword = before.passwordHash !== after.passwordHash;
  if (isNewPassword) yield* endSessions(queries, before.id, null);
  if (before.role !== after.role) yield* withdrawLinksOfRole(queries, before, after.role);
  else if (isNewPassword) yield* withdrawSignInLinks(queries, before, null);
}

/** @returns the audit changes of a new record: every field from nothing to its value. */
export function created(fields: Readonly<Record<string, unknown>>): AuditChange[] {
  return Object.entries(fields).map(([field, after]) => ({ field, before: null, after }));
}

/** A member before and after the declaration; `before` is null for a new one. */
export interface DeclaredEdit {
  readonly before: Member | null;
  readonly after: Member;
}

/**
 * The rule of the last Owner, checked for the whole organisation as declared: members may swap roles in one file. If an
 * Owner could sign in before, one must be able to afterwards.
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

/** Whether the member can sign in: with a password, or with an account at an OpenID provider. */
function signsIn(queries: RecordQueries, { id, passwordHash }: Member): boolean {
  if (passwordHash !== null) return true;
  for (const _ of queries.identitiesOf(id)) return true;
  return false;
}
