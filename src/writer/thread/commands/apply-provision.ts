import { stepInto } from '../../../contracts/compiled-schema.ts';
import type {
  DeclaredPersonalProject,
  DeclaredProject,
} from '../../../contracts/provision/declared-project.ts';
import type { Member } from '../../../domain/member/member.ts';
import type { WriteTransaction } from '../../../storage/write-transaction.ts';
import type {
  ProvisionedProject,
  ProvisionOutcome,
  ProvisionRequest,
} from '../../client/provision-protocol.ts';
import { declareAudience } from '../provision/declare-audience.ts';
import { declareFlag, type FlagSite } from '../provision/declare-flag.ts';
import { createMember, declareOrganisation } from '../provision/declare-organisation.ts';
import { type DeclaredInto, declareProject } from '../provision/declare-project.ts';
import { declareTokens } from '../provision/declare-token.ts';
import { addTo, grouped, type ProvisionDirectory, readDirectory } from '../provision/provision-directory.ts';
import { ProvisionScope } from '../provision/provision-scope.ts';
import type { CommandContext } from './command.ts';

/**
 * Decides a document and applies each change as it is decided. After the first problem nothing more is applied, and the
 * remaining problems are collected. The caller must undo everything when the outcome is a refusal.
 *
 * @param onProgress called for each flag, so that a long document does not look like a hung thread
 */
export function applyProvision(
  { queries, apply }: Pick<WriteTransaction, 'queries' | 'apply'>,
  request: ProvisionRequest,
  context: CommandContext,
  onProgress: () => void,
): ProvisionOutcome {
  const scope = new ProvisionScope(queries, apply, request, context);
  const projects = declareProjects(scope).map(({ into, declared }) => {
    const { site, audienceIds, tokens } = declareContents(scope, into, declared);
    const flagIds = (declared.flags ?? []).map((flag, index) => {
      onProgress();
      return declareFlag(scope, site, flag, `${into.path}.flags[${index}]`);
    });
    return { id: into.project.id, flagIds, audienceIds, tokens };
  });
  const { problems, warnings, counts } = scope;
  if (!problems.isEmpty) return { ok: false, problems: problems.listed, problemCount: problems.count };
  return { ok: true, projects, warnings: warnings.listed, counts };
}

interface StartedProject {
  readonly into: DeclaredInto;
  readonly declared: DeclaredProject;
}

/** Organisations, their members and projects, then personal projects, in the order of the document. */
function declareProjects(scope: ProvisionScope): StartedProject[] {
  const directory = readDirectory(scope.queries);
  const { organisations = [], personalProjects = [] } = scope.request.document;
  const projects = organisations.flatMap((declared, index) => {
    const path = `organisations[${index}]`;
    const { id } = declareOrganisation(scope, directory, declared, path);
    return (declared.projects ?? []).map((project, projectIndex) => {
      const owner = { organisationId: id, ownerMemberId: null };
      const projectPath = stepInto(stepInto(path, 'projects'), projectIndex);
      return { into: declareProject(scope, directory, project, owner, projectPath), declared: project };
    });
  });
  const personal = personalProjects.map((declared, index) => {
    const path = `personalProjects[${index}]`;
    return { into: declarePersonalProject(scope, directory, declared, path), declared };
  });
  return [...projects, ...personal];
}

function declarePersonalProject(
  scope: ProvisionScope,
  directory: ProvisionDirectory,
  declared: DeclaredPersonalProject,
  path: string,
): DeclaredInto {
  const id = declared.id ?? scope.newId();
  const known = findOwner(scope, directory, declared.owner, path);
  const owner = known ?? createOwner(scope, directory, declared.owner, id);
  return declareProject(
    scope,
    directory,
    declared,
    { organisationId: null, ownerMemberId: owner.id },
    path,
    declared.id === undefined ? id : undefined,
  );
}

/** For a personal project a person without organisation is looked up before members of the same email. */
function findOwner(
  scope: ProvisionScope,
  directory: ProvisionDirectory,
  email: string,
  path: string,
): Member | undefined {
  const found = directory.members.get(email.toLowerCase()) ?? [];
  const alone = found.filter(({ organisationId }) => organisationId === null);
  return scope.single(alone.length === 0 ? found : alone, stepInto(path, 'owner'), email);
}

function createOwner(
  scope: ProvisionScope,
  directory: ProvisionDirectory,
  email: string,
  projectId: string,
): Member {
  const member = createMember(scope, { name: email, email, role: 'owner' }, null, undefined, projectId);
  addTo(directory.members, email.toLowerCase(), member);
  return member;
}

/** Audiences come before flags, which refer to them. */
function declareContents(
  scope: ProvisionScope,
  into: DeclaredInto,
  declared: DeclaredProject,
): {
  readonly site: FlagSite;
  readonly audienceIds: readonly string[];
  readonly tokens: ProvisionedProject['tokens'];
} {
  const existing = into.isNew ? [] : scope.queries.audiencesOf(into.project.id);
  const audiences = grouped(existing, ({ name }) => name);
  const audienceIds = (declared.audiences ?? []).map((audience, index) => {
    const path = stepInto(stepInto(into.path, 'audiences'), index);
    return declareAudience(scope, into, audiences, audience, path).id;
  });
  const tokens = declareTokens(scope, into, declared.tokens ?? []);
  return { site: { ...into, audiences, declared: new Map() }, audienceIds, tokens };
}
