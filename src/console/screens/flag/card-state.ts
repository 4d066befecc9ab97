import type { StateView } from '../../../contracts/console/flag-views.ts';
import type { EnvironmentView, ProjectView } from '../../../contracts/console/project-views.ts';
import { isProductionState } from '../../../domain/project/production.ts';
import type { Fields } from '../../draft/draft.ts';
import { partsOfKey, stateKey } from '../../draft/flag-fields.ts';
import type { DraftHandle } from '../../draft/use-draft.ts';
import type { StoredSwitch } from '../../switching/switch-rules.ts';

/** Whether the draft changes the environment's own state. */
export function isStateDrafted({ draft }: DraftHandle, environment: string): boolean {
  return Object.keys(draft.edits).some((key) => partsOfKey(key).environment === environment);
}

/** The draft's edits that a card shows: those of its state, and of the flag-wide list where that is inherited. */
export function cardEdits(handle: DraftHandle, environment: string): Fields {
  const inherits = handle.value(stateKey(environment, 'cohortOverride')) === null;
  const edits = Object.entries(handle.draft.edits).filter(
    ([key]) => partsOfKey(key).environment === environment || (key === 'cohorts' && inherits),
  );
  return Object.fromEntries(edits);
}

/** Whether a card shows anything that is not saved. */
export function isDrafted(handle: DraftHandle, environment: string): boolean {
  return Object.keys(cardEdits(handle, environment)).length > 0;
}

/** A state with the draft's edits. */
export function draftedState(handle: DraftHandle, environment: string): StateView {
  return {
    enabled: handle.value(stateKey(environment, 'enabled')) as boolean,
    trafficPercentage: handle.value(stateKey(environment, 'trafficPercentage')) as number,
    cohortOverride: handle.value(stateKey(environment, 'cohortOverride')) as string[] | null,
    audienceId: handle.value(stateKey(environment, 'audienceId')) as string | null,
  };
}

/** The same as far as it decides whom the flag reaches. */
export function draftedReach(handle: DraftHandle, environment: string): Omit<StoredSwitch, 'revision'> {
  const { cohortOverride, ...state } = draftedState(handle, environment);
  const cohorts = handle.value('cohorts') as readonly string[];
  return {
    cohortCount: cohorts.length,
    state: { ...state, cohortOverrideCount: cohortOverride?.length ?? null },
  };
}

/** Whether changes of a state ask first. @param number of the environment, as a decimal */
export function isGuarded(project: ProjectView, number: string): boolean {
  return environmentOf(project, number)?.isProtected ?? project.isProtected;
}

/** The environment with this number as a decimal; undefined in a project without environments. */
export function environmentOf(project: ProjectView, number: string): EnvironmentView | undefined {
  return project.environments.find((each) => String(each.number) === number);
}

/**
 * The keys of the states that a flag has in its project: those of production first, each part in the project's order.
 */
export function shownEnvironments(project: ProjectView, states: Readonly<Record<string, unknown>>): string[] {
  const numbers = project.isMultiEnvironment
    ? project.environments.map(({ number }) => String(number))
    : ['0'];
  const present = numbers.filter((number) => Object.hasOwn(states, number));
  const isFirst = (number: string) => isProductionState(project, number);
  return [...present.filter(isFirst), ...present.filter((number) => !isFirst(number))];
}
