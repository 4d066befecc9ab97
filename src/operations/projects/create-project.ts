import { type Static, Type } from 'typebox';
import { projectView, projectViewSchema } from '../../contracts/console/project-views.ts';
import { shape, text } from '../../contracts/console/view-parts.ts';
import { type ConsolePrincipal, hasRole } from '../../domain/console/console-principal.ts';
import type { ConsoleProblem } from '../../domain/console/console-problem.ts';
import type { Role } from '../../domain/member/member.ts';
import { type Outcome, refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import type { Project } from '../../domain/project/project.ts';
import { addNeighbourProblems, newProject, newProjectChanges } from '../../domain/project/project-edit.ts';
import { projectEntry } from '../audit-entries.ts';
import { optional } from '../body-parts.ts';
import { consoleWrite, signedIn } from '../operation.ts';

const sent = shape({
  name: text,
  /** Owned by the asking member, outside the organisation. */
  isPersonal: optional(Type.Boolean()),
  isMultiEnvironment: Type.Boolean(),
  environments: optional(Type.Array(text)),
  protectedEnvironments: optional(Type.Array(text)),
  isProtected: optional(Type.Boolean()),
  slug: optional(text),
});
export type CreateProjectBody = Static<typeof sent>;

/** Creates a project of the organisation, which needs an Admin, or a personal one, which any member may create and then owns. */
export const createProject = consoleWrite('create-project', {
  route: 'POST /projects',
  access: signedIn,
  body: sent,
  answer: projectViewSchema,
  run: (queries, request, principal, context) => {
    const { body } = request;
    const owned = ownerOf(principal, body.isPersonal ?? false);
    if (!owned.ok) return owned;
    const { owner, role } = owned.value;
    const problems = new ProblemList();
    const project = newProject(queries, body, owner, context.newId(), context.now, problems);
    addNeighbourProblems(project.name, owner, queries.projects(), true, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    const { id, name } = project;
    const changes = newProjectChanges(project);
    const entry = { action: 'project.create', targetId: id, targetName: name, changes } as const;
    return succeed({
      changes: [
        { kind: 'project', before: null, after: project },
        projectEntry(entry, { project, member: principal.member }, request, context),
      ],
      reply: { status: 201, value: projectView(project, role) },
    });
  },
});

interface Ownership {
  readonly owner: Pick<Project, 'organisationId' | 'ownerMemberId'>;
  readonly role: Role;
}

function ownerOf(
  { member, organisation }: ConsolePrincipal,
  isPersonal: boolean,
): Outcome<Ownership, ConsoleProblem> {
  if (isPersonal) {
    return succeed({ owner: { organisationId: null, ownerMemberId: member.id }, role: 'owner' });
  }
  if (organisation === null) return refuse('not-permitted', inNoOrganisation);
  if (!hasRole(member.role, 'admin')) return refuse('not-permitted', needsAdmin);
  return succeed({ owner: { organisationId: organisation.id, ownerMemberId: null }, role: member.role });
}

const inNoOrganisation =
  'You are a member of no organisation. Send "isPersonal": true for a personal project.';
const needsAdmin =
  'Creating a project of the organisation needs the role Admin or Owner. Send "isPersonal": true for a personal project.';
