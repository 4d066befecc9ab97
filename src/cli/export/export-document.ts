import type { DeclaredFlag, DeclaredState } from '../../contracts/provision/declared-flag.ts';
import type { DeclaredToken } from '../../contracts/provision/declared-project.ts';
import type { Audience } from '../../domain/evaluation/audience.ts';
import { type Flag, type FlagState, stateIn } from '../../domain/flag/flag.ts';
import { type ProblemList, shown } from '../../domain/problem-list.ts';
import { environmentNumbers, type Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Token } from '../../domain/token/token.ts';
import { distinctByName, type ExportPlan, type PlannedOrganisation } from './export-plan.ts';

export interface ExportScope {
  readonly queries: RecordQueries;
  /** Receives a problem for each thing that a file cannot express, and that is left out. */
  readonly problems: ProblemList;
  /** Number of flags so far. */
  flags: number;
}

/** The text of one JSON value, in parts. */
type Text = Iterable<string>;

/**
 * The text of a document with everything that `apply` reads, without secrets. Members, audiences, flags and tokens are
 * a line each, so that two documents can be compared line by line. A flag is read when its line is asked for.
 */
export function* exportDocument(scope: ExportScope, plan: ExportPlan): Generator<string> {
  const organisations = plan.organisations.map((planned) => organisationText(scope, planned));
  const personal = plan.personalProjects.map(({ project, owner }) =>
    projectText(scope, project, { owner }, 4),
  );
  yield '{';
  yield* listText('organisations', organisations, 2);
  yield ',';
  yield* listText('personalProjects', personal, 2);
  yield '\n}\n';
}

function* organisationText(
  scope: ExportScope,
  { organisation, members, projects }: PlannedOrganisation,
): Generator<string> {
  const { name, plan, trialEndsAt, subscription } = organisation;
  yield `{${fieldsText({ name, plan, trialEndsAt, subscription }, 6)},`;
  // Without passwords: the store has only their hashes.
  const declared = members.map((member) =>
    lineText({ name: member.name, email: member.email, role: member.role }),
  );
  yield* listText('members', declared, 6);
  yield ',';
  const texts = projects.map((project) => projectText(scope, project, {}, 8));
  yield* listText('projects', texts, 6);
  yield '\n    }';
}

/** @param more keys of the project in addition to its own */
function* projectText(scope: ExportScope, project: Project, more: object, indent: number): Generator<string> {
  const { queries, problems } = scope;
  const { id, name, slugs, isSlugPublic, evaluationAccess, isMultiEnvironment, environments, isProtected } =
    project;
  const where = `project "${shown(name)}"`;
  const audiences = distinctByName(queries.audiencesOf(project.id), nameOf, `${where}: audiences`, problems);
  const unrevoked = [...queries.tokensOf(project.id)].filter(({ revokedAt }) => revokedAt === null);
  const tokens = distinctByName(unrevoked, nameOf, `${where}: tokens`, problems);
  const places = {
    environments: environments.map(nameOf),
    protectedEnvironments: environments.filter(({ isProtected }) => isProtected).map(nameOf),
  };
  const inner = indent + 2;
  const named = { name, id, ...(slugs.length === 0 ? {} : { slug: slugs[0], isSlugPublic }), ...more };
  yield `{${fieldsText({ ...named, evaluationAccess, ...(isMultiEnvironment ? places : { isProtected }) }, inner)},`;
  yield* listText(
    'audiences',
    audiences.map(({ name, rules }) => lineText({ name, rules })),
    inner,
  );
  yield ',';
  yield* listText('flags', flagTexts(scope, project, audiences, where), inner);
  if (tokens.length > 0) {
    yield ',';
    yield* listText(
      'tokens',
      tokens.map((token) => lineText(declaredToken(token))),
      inner,
    );
  }
  yield `\n${' '.repeat(indent)}}`;
}

function* flagTexts(
  scope: ExportScope,
  project: Project,
  audiences: readonly Audience[],
  where: string,
): Generator<Text> {
  const { queries, problems } = scope;
  const names = new Map(audiences.map(({ id, name }) => [id, name]));
  for (const flag of queries.flagsOf(project.id)) {
    if (flag.nameSince === null) {
      problems.add(() => `${where}: flag ${flag.id} does not answer to its name, "${shown(flag.name)}"`);
      continue;
    }
    const audienceIds = environmentNumbers(project).map((number) => stateIn(flag, number).audienceId);
    if (audienceIds.every((id) => id === null || names.has(id))) {
      scope.flags += 1;
      yield lineText(declaredFlag(flag, project, names));
    } else problems.add(() => `${where}: flag "${shown(flag.name)}" has an audience that is left out`);
  }
}

/** Written in full, defaults too: applying the file later resets every field that was changed since. */
function declaredFlag(flag: Flag, project: Project, audiences: ReadonlyMap<string, string>): DeclaredFlag {
  const { id, name, description, tags, cohorts } = flag;
  const common = { name, id, description, tags: [...tags] };
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

function lineText(value: object): Text {
  return [JSON.stringify(value)];
}

/** Fields of an object, each on a line. */
function fieldsText(fields: object, indent: number): string {
  const line = `\n${' '.repeat(indent)}`;
  const texts = Object.entries(fields).map(([key, value]) => `${line}"${key}": ${JSON.stringify(value)}`);
  return texts.join(',');
}

/** A field that is an array, each item on a line of its own. */
function* listText(key: string, items: Iterable<Text>, indent: number): Generator<string> {
  const line = `\n${' '.repeat(indent)}`;
  yield `${line}"${key}": [`;
  let isFirst = true;
  for (const item of items) {
    yield `${isFirst ? '' : ','}${line}  `;
    isFirst = false;
    yield* item;
  }
  yield isFirst ? ']' : `${line}]`;
}
