import type { EnvironmentView, ProjectView } from '../../../contracts/console/project-views.ts';
import { isProduction } from '../../../domain/project/production.ts';
import { soleEnvironment } from '../../../domain/project/project.ts';
import type { ProjectPreferences } from '../../parts/preferences.ts';

/** A column of states. */
export interface FlagColumn {
  readonly number: number;
  /** Null for the only state in a single-environment project. */
  readonly environment: EnvironmentView | null;
  readonly isProtected: boolean;
  readonly isPinned: boolean;
}

/** In projects with more environments production is pinned until a member chooses otherwise. */
const unpinnedMax = 6;
const pinnedFirstMax = 2;

/** The pinned environments: as chosen, or production where there are many columns. */
export function pinnedNumbers(
  project: ProjectView,
  { pinnedColumns }: ProjectPreferences,
): readonly number[] {
  const { environments } = project;
  if (pinnedColumns !== null) return pinnedColumns;
  if (environments.length <= unpinnedMax) return [];
  return environments
    .filter(isProduction)
    .slice(0, pinnedFirstMax)
    .map(({ number }) => number);
}

/**
 * Every environment in the member's order: pinned ones first, then as chosen, then production, then as the project has
 * them.
 */
export function orderedEnvironments(
  project: ProjectView,
  preferences: ProjectPreferences,
): readonly EnvironmentView[] {
  const pinned = new Set(pinnedNumbers(project, preferences));
  const positions = new Map(preferences.columnOrder.map((number, position) => [number, position]));
  const rank = (environment: EnvironmentView) => {
    const position = positions.get(environment.number);
    if (position !== undefined) return position;
    return positions.size + (isProduction(environment) ? 0 : 1);
  };
  const isPinned = ({ number }: EnvironmentView) => (pinned.has(number) ? 0 : 1);
  return project.environments.toSorted(
    (left, right) => isPinned(left) - isPinned(right) || rank(left) - rank(right),
  );
}

/** The shown columns, pinned ones first; one column when flags have one state. */
export function flagColumns(project: ProjectView, preferences: ProjectPreferences): readonly FlagColumn[] {
  const { isProtected } = project;
  if (!project.isMultiEnvironment)
    return [{ number: soleEnvironment, environment: null, isProtected, isPinned: false }];
  const hidden = new Set(preferences.hiddenColumns);
  const pinned = new Set(pinnedNumbers(project, preferences));
  return orderedEnvironments(project, preferences)
    .filter(({ number }) => !hidden.has(number))
    .map((environment) => {
      const { number, isProtected } = environment;
      return { number, environment, isProtected, isPinned: pinned.has(number) };
    });
}

/** The numbers of the environments that are production; the only state in a single-environment project. */
export function productionNumbers({ isMultiEnvironment, environments }: ProjectView): readonly number[] {
  if (!isMultiEnvironment) return [soleEnvironment];
  return environments.filter(isProduction).map(({ number }) => number);
}

/** The order with one environment moved by one column. @param order every environment's number */
export function moved(order: readonly number[], number: number, by: -1 | 1): readonly number[] {
  const at = order.indexOf(number);
  const to = at + by;
  if (at === -1 || to < 0 || to >= order.length) return order;
  const next = order.filter((other) => other !== number);
  return next.toSpliced(to, 0, number);
}
