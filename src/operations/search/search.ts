import type { FoundFlagView, SearchResult } from '../../contracts/console/search-views.ts';
import type { Flag } from '../../domain/flag/flag.ts';
import { wholeFlag } from '../../domain/flag/whole-flag.ts';
import { isProductionState } from '../../domain/project/production.ts';
import type { Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Steps } from '../../support/steps.ts';
import { type Fit, Shortlist, Sought } from './shortlist.ts';

/** Results of each kind. */
const shownMax = 20;
/** The most names that a search compares, in all projects together. A step takes some tens of microseconds. */
const namesMax = 100_000;
const namesOfStep = 32;
/** Flags that are read to rank them. */
const flagsReadMax = 300;
/** Newest entries of each audit log in which a search without words looks for flags. */
const recentMax = 100;

/** A flag that may be shown. */
interface Candidate {
  readonly project: Project;
  readonly id: string;
}

interface ReadFlag {
  readonly view: FoundFlagView;
  readonly isOn: boolean;
  readonly updatedAt: number;
}

interface FoundResults {
  readonly results: readonly SearchResult[];
  /** Whether the results are complete. */
  readonly isComplete: boolean;
}

export interface Wanted {
  readonly text: string;
  /** Ids of flags that a search without words shows, too. */
  readonly also: readonly string[];
}

type Ranked = readonly [rank: number, result: SearchResult];
/** Flags that are on in production have rank 1: a member in a hurry looks for these. */
const ranks: Readonly<Record<Fit, number>> = { equal: 0, begins: 2, contains: 3 };
const onRank = 1;

/** One search, in steps and within bounds. */
export class Search {
  readonly #queries: RecordQueries;
  readonly #projects: readonly Project[];
  #namesLeft = namesMax;
  #flagsLeft = flagsReadMax;
  /** No more flags may be read. */
  #isSpent = false;
  #isComplete = true;

  /** @param projects those that are searched, by name */
  constructor(queries: RecordQueries, projects: readonly Project[]) {
    this.#queries = queries;
    this.#projects = projects;
  }

  /** @param hasProjects whether projects are results, too */
  *run({ text, also }: Wanted, hasProjects: boolean): Steps<FoundResults> {
    const sought = new Sought(text);
    const results = sought.isEmpty
      ? yield* this.#withoutWords(also)
      : yield* this.#named(sought, hasProjects);
    return { results, isComplete: this.#isComplete };
  }

  *#named(sought: Sought, hasProjects: boolean): Steps<SearchResult[]> {
    const ranked: Ranked[] = [];
    // The few names of projects and environments first: flags may use up the names that a search may compare.
    if (hasProjects) ranked.push(...this.#list(yield* this.#projectsOf(sought)));
    ranked.push(...this.#list(yield* this.#environmentsOf(sought)));
    ranked.push(...this.#list(yield* this.#audiencesOf(sought)));
    ranked.push(...(yield* this.#flagsOf(sought)));
    ranked.sort(([rank, one], [otherRank, other]) => rank - otherRank || compare(one.name, other.name));
    return ranked.map(([, result]) => result);
  }

  #list(found: Shortlist<SearchResult>): Ranked[] {
    const taken = found.take().map(({ fit, item }): Ranked => [ranks[fit], item]);
    if (found.isCut) this.#isComplete = false;
    return taken;
  }

  *#projectsOf(sought: Sought): Steps<Shortlist<SearchResult>> {
    const found = new Shortlist<SearchResult>(shownMax);
    for (const { id, name } of this.#projects) {
      if (!(yield* this.#mayLook())) break;
      found.add(sought.fitOf(name, id), () => ({ kind: 'project', id, name }));
    }
    return found;
  }

  *#environmentsOf(sought: Sought): Steps<Shortlist<SearchResult>> {
    const found = new Shortlist<SearchResult>(shownMax);
    for (const project of this.#projects) {
      for (const environment of project.environments) {
        if (!(yield* this.#mayLook())) return found;
        found.add(sought.fitOf(environment.name), () => {
          const { number, name, isProtected } = environment;
          return { kind: 'environment', ...inProject(project), number, name, isProtected };
        });
      }
    }
    return found;
  }

  *#audiencesOf(sought: Sought): Steps<Shortlist<SearchResult>> {
    const found = new Shortlist<SearchResult>(shownMax);
    for (const project of this.#projects) {
      for (const { id, name } of this.#queries.audienceNamesOf(project.id)) {
        if (!(yield* this.#mayLook())) return found;
        found.add(sought.fitOf(name, id), () => ({ kind: 'audience', ...inProject(project), id, name }));
      }
    }
    return found;
  }

  *#flagsOf(sought: Sought): Steps<Ranked[]> {
    const found = new Shortlist<Candidate>(flagsReadMax);
    yield* this.#lookForFlags(sought, found);
    const ranked: Ranked[] = [];
    for (const { fit, item } of found.take()) {
      const flag = yield* this.#read(item);
      if (this.#isSpent) break;
      if (flag !== null) ranked.push([flag.isOn ? Math.min(ranks[fit], onRank) : ranks[fit], flag.view]);
    }
    ranked.sort(([rank], [otherRank]) => rank - otherRank);
    if (found.isCut || ranked.length > shownMax) this.#isComplete = false;
    return ranked.slice(0, shownMax);
  }

  *#lookForFlags(sought: Sought, found: Shortlist<Candidate>): Steps<void> {
    for (const project of this.#projects) {
      for (const { id, name } of this.#queries.flagPlacesOf(project.id)) {
        if (!(yield* this.#mayLook())) return;
        found.add(sought.fitOf(name, id), () => ({ project, id }));
      }
    }
  }

  *#withoutWords(also: readonly string[]): Steps<SearchResult[]> {
    const results: SearchResult[] = [];
    for (const id of also) {
      const flag = this.#queries.flag(id);
      const project = this.#projects.find((one) => one.id === flag?.projectId);
      if (flag !== undefined && project !== undefined) results.push(shownFlag(flag, project).view);
      yield;
    }
    const on = yield* this.#onInProduction();
    return [...results, ...on.filter((flag) => flag.kind !== 'flag' || !also.includes(flag.id))];
  }

  /** Those changed last come first, as far as the audit log shows; then by name. */
  *#onInProduction(): Steps<SearchResult[]> {
    const on: ReadFlag[] = [];
    const seen = new Set<string>();
    for (const candidate of this.#recentThenAll()) {
      yield;
      if (candidate === null || seen.has(candidate.id)) continue;
      seen.add(candidate.id);
      const flag = yield* this.#read(candidate);
      if (flag?.isOn) on.push(flag);
      if (this.#isSpent) break;
    }
    if (on.length > shownMax) this.#isComplete = false;
    on.sort((one, other) => other.updatedAt - one.updatedAt || compare(one.view.name, other.view.name));
    return on.slice(0, shownMax).map(({ view }) => view);
  }

  /** Null is a step without a candidate. */
  *#recentThenAll(): Generator<Candidate | null> {
    const visible = new Map(this.#projects.map((project) => [project.id, project]));
    for (const [ledgerId, range] of this.#ledgers()) {
      let looked = 0;
      for (const { entry } of this.#queries.auditHeadsOf(ledgerId, range)) {
        const project = entry.action.startsWith('flag.') ? visible.get(entry.projectId ?? '') : undefined;
        yield project === undefined ? null : { project, id: entry.targetId };
        looked += 1;
        if (looked === recentMax) break;
      }
    }
    for (const project of this.#projects) {
      for (const { id } of this.#queries.flagPlacesOf(project.id)) yield { project, id };
    }
  }

  /** The audit logs of the projects. */
  #ledgers(): ReadonlyMap<string, { readonly subjectId?: string }> {
    const [only] = this.#projects;
    if (only !== undefined && this.#projects.length === 1) {
      return new Map([[only.organisationId ?? only.id, { subjectId: only.id }]]);
    }
    return new Map(this.#projects.map(({ id, organisationId }) => [organisationId ?? id, {}]));
  }

  /** Counts a name. @returns false when no more may be compared */
  *#mayLook(): Steps<boolean> {
    if (this.#namesLeft === 0) {
      this.#isComplete = false;
      return false;
    }
    this.#namesLeft -= 1;
    if (this.#namesLeft % namesOfStep === 0) yield;
    return true;
  }

  /** @returns null for a flag that was deleted, or when no more may be read */
  *#read({ project, id }: Candidate): Steps<ReadFlag | null> {
    if (this.#flagsLeft === 0) {
      this.#isSpent = true;
      this.#isComplete = false;
      return null;
    }
    this.#flagsLeft -= 1;
    const flag = this.#queries.flag(id);
    yield;
    return flag?.projectId === project.id ? shownFlag(flag, project) : null;
  }
}

function shownFlag(flag: Flag, project: Project): ReadFlag {
  const { id, revision, updatedAt } = flag;
  const { name, cohorts, states } = wholeFlag(flag, project);
  const environments = new Map(project.environments.map((environment) => [environment.number, environment]));
  const shown = Array.from(states).filter(([number]) => isProductionState(project, number));
  const view: FoundFlagView = {
    ...{ kind: 'flag', ...inProject(project), id, name, revision, cohortCount: cohorts.length },
    states: shown.map(([number, { enabled, trafficPercentage, cohortOverride, audienceId }]) => ({
      environment: number,
      name: environments.get(number)?.name ?? '',
      isProtected: environments.get(number)?.isProtected ?? project.isProtected,
      ...{ enabled, trafficPercentage, cohortOverrideCount: cohortOverride?.length ?? null, audienceId },
    })),
  };
  return { view, isOn: view.states.some(({ enabled }) => enabled), updatedAt };
}

function inProject({ id, name }: Project): { readonly projectId: string; readonly projectName: string } {
  return { projectId: id, projectName: name };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
