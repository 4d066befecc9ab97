import { stepInto } from '../../../contracts/compiled-schema.ts';
import type { DeclaredFlag } from '../../../contracts/provision/declared-flag.ts';
import type {
  DeclaredPersonalProject,
  DeclaredProject,
} from '../../../contracts/provision/declared-project.ts';
import type { Member } from '../../../domain/member/member.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type {
  FlagSlice,
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

/** Changes that are handed on together: enough to be quick, few enough to be forgotten soon. */
const changesPerChunk = 512;

export interface ProvisionChunk {
  readonly changes: readonly RecordChange[];
  readonly flagsDone: number;
}

/**
 * Decides what a provisioning changes, chunk by chunk, so that a million flags are never held at once. Each chunk must be
 * applied to what `queries` reads before the next is asked for. When the outcome is a refusal, everything applied so far
 * must be undone.
 *
 * @param slices in the order of the document's projects, and of the flags in each.
 */
export function* applyProvision(
  queries: RecordQueries,
  request: ProvisionRequest,
  slices: readonly FlagSlice[],
  context: CommandContext,
): Generator<ProvisionChunk, ProvisionOutcome> {
  const scope = new ProvisionScope(queries, request, context);
  const projects = declareProjects(scope);
  const provisioned: ProvisionedProject[] = [];
  const slicesByProject = grouped(slices, ({ projectPath }) => projectPath);
  let flagsDone = 0;
  for (const { into, declared } of projects) {
    const { site, audienceIds, tokens } = declareContents(scope, into, declared);
    const flagIds: string[] = [];
    for (const slice of slicesByProject.get(into.path) ?? []) {
      let ids = '';
      for (const [index, flag] of parseSlice(slice).entries()) {
        ids += declareFlag(scope, site, flag, `${into.path}.flags[${slice.firstIndex + index}]`);
        flagsDone++;
        if (scope.pendingCount >= changesPerChunk) yield { changes: scope.takePending(), flagsDone };
      }
      flagIds.push(ids);
      yield { changes: scope.takePending(), flagsDone };
    }
    provisioned.push({ path: into.path, id: into.project.id, audienceIds, tokens, flagIds });
  }
  yield { changes: scope.takePending(), flagsDone };
  const { problems, warnings, counts } = scope;
  if (!problems.isEmpty) return { ok: false, problems: problems.listed, problemCount: problems.count };
  return { ok: true, value: { projects: provisioned, warnings: warnings.listed, counts } };
}

const decoder = new TextDecoder();

/** The operator's thread has checked it against `declaredFlagsSchema`. */
function parseSlice(slice: FlagSlice): DeclaredFlag[] {
  return JSON.parse(decoder.decode(slice.json)) as DeclaredFlag[];
}

interface ProjectInHand {
  readonly into: DeclaredInto;
  readonly declared: DeclaredProject;
}

/** Organisations, their members and projects, then personal projects, in the order of the document. */
function declareProjects(scope: ProvisionScope): ProjectInHand[] {
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
  const id = scope.newId();
  const known = findOwner(scope, directory, declared.owner, path);
  const owner = known ?? createOwner(scope, directory, declared.owner, id);
  return declareProject(
    scope,
    directory,
    declared,
    { organisationId: null, ownerMemberId: owner.id },
    path,
    id,
  );
}

/** A person without organisation goes before members of the same email. */
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

/** Audiences before flags, which refer to them. */
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
  return { site: { ...into, audiences }, audienceIds, tokens };
}
