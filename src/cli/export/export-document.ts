import type { DeclaredFlag, DeclaredState } from '../../contracts/provision/declared-flag.ts';
import type { DeclaredToken } from '../../contracts/provision/declared-project.ts';
import type { Audience } from '../../domain/evaluation/audience.ts';
import { type Flag, type FlagState, stateIn } from '../../domain/flag/flag.ts';
import type { Member } from '../../domain/member/member.ts';
import { type ProblemList, shown } from '../../domain/problem-list.ts';
import { environmentNumbers, type Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Token } from '../../domain/token/token.ts';
import {
  distinctByName,
  distinctOfSorted,
  type ExportPlan,
  type PlannedOrganisation,
} from './export-plan.ts';

interface ExportScope {
  readonly queries: RecordQueries;
  /** Receives a problem for each thing that a file cannot express, and that is left out. */
  readonly problems: ProblemList;
  readonly onFlag: () => void;
  /** Called before the document is closed: if it throws, the document stays incomplete and cannot be parsed. */
  readonly onEnd: () => void;
}

/**
 * Everything that `apply` reads, without secrets. Each flag is read when its piece is asked for, so a million flags are
 * never in memory at once.
 */
export function* exportDocument(scope: ExportScope, plan: ExportPlan): Generator<string> {
  const indent = deeper('');
  const itemIndent = deeper(indent);
  const organisations = plan.organisations.map((planned) => organisationPieces(scope, planned, itemIndent));
  const personal = plan.personalProjects.map(({ project, owner }) =>
    projectPieces(scope, project, { owner }, itemIndent),
  );
  const fields = function* (): Generator<readonly [string, Pieces]> {
    yield ['organisations', arrayPieces(organisations, indent)];
    yield ['personalProjects', arrayPieces(personal, indent)];
    scope.onEnd();
  };
  yield* objectPieces(fields(), '');
  yield '\n';
}

function organisationPieces(
  scope: ExportScope,
  { organisation, members, projects }: PlannedOrganisation,
  indent: string,
): Pieces {
  const { name, plan, trialEndsAt, subscription } = organisation;
  const inner = deeper(indent);
  const projectIndent = deeper(inner);
  return objectPieces(
    [
      ['name', linePieces(name)],
      ['plan', linePieces(plan)],
      ['trialEndsAt', linePieces(trialEndsAt)],
      ['subscription', linePieces(subscription)],
      ['members', arrayPieces(members.map(memberPieces), inner)],
      [
        'projects',
        arrayPieces(
          projects.map((project) => projectPieces(scope, project, {}, projectIndent)),
          inner,
        ),
      ],
    ],
    indent,
  );
}

/** Without the password: the store has only its hash. */
function memberPieces({ name, email, role }: Member): Pieces {
  return linePieces({ name, email, role });
}

/** @param more keys of the project beside its own. */
function projectPieces(
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

/** Written in full, defaults too: applying the file later resets every field that was changed since. */
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

/** The secret is not stored: on another store, `apply` makes a new one and prints it. */
function declaredToken({ name, permission, environments, expiresAt }: Token): DeclaredToken {
  return {
    ...{ name, permission, expiresAt },
    ...(environments === null ? {} : { environments: [...environments] }),
  };
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** The text of a JSON document in pieces, indented so that two documents can be compared line by line. */
type Pieces = Iterable<string>;

const step = '  ';

/** @param items each yields the pieces of its own value. */
function* arrayPieces(items: Iterable<Pieces>, indent: string): Generator<string> {
  let isFirst = true;
  for (const item of items) {
    yield `${isFirst ? '[' : ','}\n${indent}${step}`;
    isFirst = false;
    yield* item;
  }
  yield isFirst ? '[]' : `\n${indent}]`;
}

/** @param fields at least one. */
function* objectPieces(
  fields: Iterable<readonly [key: string, value: Pieces]>,
  indent: string,
): Generator<string> {
  let isFirst = true;
  for (const [key, value] of fields) {
    yield `${isFirst ? '{' : ','}\n${indent}${step}${JSON.stringify(key)}: `;
    isFirst = false;
    yield* value;
  }
  yield `\n${indent}}`;
}

/** A value on one line. */
function linePieces(value: unknown): Pieces {
  return [JSON.stringify(value)];
}

function deeper(indent: string): string {
  return indent + step;
}
