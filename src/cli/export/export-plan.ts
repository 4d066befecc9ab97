import type { Member } from '../../domain/member/member.ts';
import type { Organisation } from '../../domain/organisation/organisation.ts';
import { type ProblemList, shown } from '../../domain/problem-list.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';

/** Exports only the thing with this name or id, or slug of a project; null for all. */
export interface ExportFilter {
  readonly organisation: string | null;
  readonly project: string | null;
}

export interface PlannedOrganisation {
  readonly organisation: Organisation;
  readonly members: readonly Member[];
  readonly projects: readonly Project[];
}

interface PlannedPersonalProject {
  readonly project: Project;
  /** Email. */
  readonly owner: string;
}

/** What is exported, without the projects' contents; each list in the order of names. */
export interface ExportPlan {
  readonly organisations: readonly PlannedOrganisation[];
  readonly personalProjects: readonly PlannedPersonalProject[];
}

/** @param problems receives what a file cannot express and so is left out. */
export function planExport(queries: RecordQueries, filter: ExportFilter, problems: ProblemList): ExportPlan {
  const members = [...queries.members()];
  const projects = projectsOf(queries, filter, problems);
  const isWanted = ({ id }: Organisation): boolean =>
    filter.project === null || projects.some(({ organisationId }) => organisationId === id);
  const organisations = [...queries.organisations()].filter(
    (organisation) => passes(organisation, filter.organisation) && isWanted(organisation),
  );
  return {
    organisations: distinctByName(organisations, nameOf, 'organisations', problems).map((organisation) => ({
      organisation,
      members: membersOf(members, organisation, problems),
      projects: projects.filter(({ organisationId }) => organisationId === organisation.id),
    })),
    personalProjects: projects.flatMap((project) => planPersonal(project, members, problems)),
  };
}

function projectsOf(queries: RecordQueries, filter: ExportFilter, problems: ProblemList): Project[] {
  const isOfOrganisation = ({ organisationId }: Project): boolean => {
    if (filter.organisation === null) return true;
    const organisation = organisationId === null ? undefined : queries.organisation(organisationId);
    return organisation !== undefined && passes(organisation, filter.organisation);
  };
  const isChosen = (project: Project): boolean =>
    passes(project, filter.project) || project.slugs.includes(filter.project ?? '');
  const chosen = [...queries.projects()].filter((project) => isChosen(project) && isOfOrganisation(project));
  return distinctByName(chosen, nameOf, 'projects', problems);
}

function membersOf(members: readonly Member[], organisation: Organisation, problems: ProblemList): Member[] {
  const own = members.filter(({ organisationId }) => organisationId === organisation.id);
  const where = `members of organisation "${organisation.name}"`;
  return distinctByName(own, ({ email }) => email.toLowerCase(), where, problems);
}

/**
 * For a personal project `apply` looks for a person without organisation first, then for the one member with that
 * email.
 */
function planPersonal(
  project: Project,
  members: readonly Member[],
  problems: ProblemList,
): PlannedPersonalProject[] {
  const owner = members.find(({ id }) => id === project.ownerMemberId);
  if (owner === undefined) return [];
  const namesakes = members.filter(({ email }) => email.toLowerCase() === owner.email.toLowerCase());
  const alone = namesakes.filter(({ organisationId }) => organisationId === null);
  const meant = alone.length === 0 ? namesakes : alone;
  if (meant.length === 1 && meant[0] === owner) return [{ project, owner: owner.email }];
  problems.add(() => `project "${project.name}": several people have its owner's email`);
  return [];
}

function passes(it: Organisation | Project, wanted: string | null): boolean {
  return wanted === null || it.id === wanted || it.name === wanted;
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/**
 * The items whose name no other item has, sorted by name. A file identifies things by name, so items that share a name
 * are left out, and each such name is a problem.
 *
 * @param what the items, in the plural, and where they are: the sentence begins with it.
 */
export function distinctByName<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
  what: string,
  problems: ProblemList,
): Item[] {
  const byName = new Map<string, Item[]>();
  for (const item of items) {
    const namesakes = byName.get(nameOf(item));
    if (namesakes === undefined) byName.set(nameOf(item), [item]);
    else namesakes.push(item);
  }
  const sorted = [...byName].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.flatMap(([name, namesakes]) => {
    if (namesakes.length === 1) return namesakes;
    problems.add(() => `${what}: ${namesakes.length} of them have the name "${shown(name)}"`);
    return [];
  });
}
