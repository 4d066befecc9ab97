import type { DeclaredFlag, DeclaredState } from '../../contracts/provision/declared-flag.ts';
import type { DeclaredToken } from '../../contracts/provision/declared-project.ts';
import type { Audience } from '../../domain/evaluation/audience.ts';
import { type Flag, type FlagState, stateIn } from '../../domain/flag/flag.ts';
import { shown } from '../../domain/problem-list.ts';
import { environmentNumbers, type Project } from '../../domain/project/project.ts';
import type { Token } from '../../domain/token/token.ts';
import { distinctByName, distinctOfSorted } from './distinct-names.ts';
import type { ExportScope } from './export-scope.ts';
import { arrayPieces, deeper, linePieces, objectPieces, type Pieces } from './json-pieces.ts';

/** @param more keys of the project beside its own. */
export function projectPieces(
  scope: ExportScope,
  project: Project,
  more: Readonly<Record<string, string>>,
  indent: string,
): Pieces {
  const inner = deeper(indent);
  const { name, evaluationAccess, isMultiEnvironment, environments } = project;
  const where = `project "${shown(name)}"`;
  const { queries, problems } = scope;
  const audiences = distinctByName(queries.audiencesOf(project.id), nameOf, `${where}: audiences`, problems);
  const tokens = [...queries.tokensOf(project.id)].filter(({ revokedAt }) => revokedAt === null);
  const names = environments.map(nameOf);
  const protectedNames = environments.filter(({ isProtected }) => isProtected).map(nameOf);
  const fields: (readonly [string, Pieces])[] = [
    ['name', linePieces(name)],
    ...Object.entries(more).map(([key, value]) => [key, linePieces(value)] as const),
    ['evaluationAccess', linePieces(evaluationAccess)],
    ...(isMultiEnvironment
      ? [
          ['environments', linePieces(names)] as const,
          ['protectedEnvironments', linePieces(protectedNames)] as const,
        ]
      : []),
    ['audiences', arrayPieces(audiences.map(audiencePieces), inner)],
    ['flags', arrayPieces(flagLines(scope, project, audiences, where), inner)],
  ];
  const declared = distinctByName(tokens, nameOf, `${where}: tokens`, problems).map(declaredToken);
  if (declared.length > 0) fields.push(['tokens', arrayPieces(declared.map(linePieces), inner)]);
  return objectPieces(fields, indent);
}

function* flagLines(
  { queries, problems, onFlag }: ExportScope,
  project: Project,
  audiences: readonly Audience[],
  where: string,
): Generator<Pieces> {
  const names = new Map(audiences.map(({ id, name }) => [id, name]));
  for (const flag of distinctOfSorted(queries.flagsOf(project.id), nameOf, `${where}: flags`, problems)) {
    const audienceIds = environmentNumbers(project).map((number) => stateIn(flag, number).audienceId);
    if (audienceIds.every((id) => id === null || names.has(id))) {
      onFlag();
      yield linePieces(declaredFlag(flag, project, names));
    } else problems.add(() => `${where}: flag "${shown(flag.name)}" has an audience that is left out`);
  }
}

/** Complete, so that applying it later brings everything back that was changed since. */
function declaredFlag(flag: Flag, project: Project, audiences: ReadonlyMap<string, string>): DeclaredFlag {
  const { name, description, tags, cohorts } = flag;
  const common = { name, description, tags: [...tags] };
  if (!project.isMultiEnvironment) return { ...common, ...declaredState(stateIn(flag), audiences) };
  const states = project.environments.map(
    (environment) => [environment.name, declaredState(stateIn(flag, environment.number), audiences)] as const,
  );
  return { ...common, cohorts: [...cohorts], environments: Object.fromEntries(states) };
}

function declaredState(state: FlagState, audiences: ReadonlyMap<string, string>): DeclaredState {
  const { enabled, trafficPercentage, cohortOverride, audienceId } = state;
  const audience = audienceId === null ? null : (audiences.get(audienceId) ?? null);
  return { enabled, trafficPercentage, cohorts: [...(cohortOverride ?? [])], audience };
}

function audiencePieces({ name, rules }: Audience): Pieces {
  return linePieces({ name, rules });
}

/** Its secret is nowhere: on another store, `apply` makes a new one and prints it. */
function declaredToken({ name, permission, environments, expiresAt }: Token): DeclaredToken {
  return {
    ...{ name, permission, expiresAt },
    ...(environments === null ? {} : { environments: [...environments] }),
  };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
