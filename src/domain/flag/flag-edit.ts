import { jsonValueOf } from '../../support/json-value.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import { describeEnvironments, type Project, soleEnvironment } from '../project/project.ts';
import { type FlagLabels, type FlagLabelsDraft, isLabelKey, readLabel } from './flag-labels.ts';
import type { OwnedNames } from './flag-name.ts';
import {
  type FieldSite,
  isStateKey,
  readStateField,
  type StateFields,
  type StateFieldsDraft,
} from './state-fields.ts';

/** State as the console sends it. `cohorts` is the environment's own list; null and an empty list inherit. */
export interface SentState {
  readonly enabled?: boolean;
  readonly trafficPercentage?: number;
  readonly cohorts?: readonly string[] | null;
  readonly audienceId?: string | null;
}

/** A draft of a flag as the console sends it; an absent field keeps its value. */
export interface SentFlag extends Partial<FlagLabels> {
  /** Flag-wide; the only list of a single-environment flag. */
  readonly cohorts?: readonly string[];
  /** By environment number as a decimal; `0` in a single-environment project. */
  readonly states?: Readonly<Record<string, SentState>>;
}

/** A draft that was read: all of it can be stored. */
export interface FlagEdit {
  readonly labels: Readonly<FlagLabelsDraft>;
  /** To which names the flag answers afterwards; absent: as before. */
  readonly names?: OwnedNames;
  readonly cohorts: readonly string[] | undefined;
  readonly states: ReadonlyMap<number, StateFields>;
}

/**
 * Reads a draft by the rules of the Management API's create, with the same messages. A problem in an environment has
 * the environment's name in its path (`environments.staging.trafficPercentage must be …`).
 *
 * @param hasAudience whether the flag's project has an audience with this id.
 * @param problems receives every problem; the edit is valid only while it is empty.
 */
export function parseFlagEdit(
  sent: SentFlag,
  project: Project,
  hasAudience: (id: string) => boolean,
  problems: ProblemList,
): FlagEdit {
  const site: FieldSite = { prefix: '', isQuoted: false, problems, hasAudience };
  const labels: FlagLabelsDraft = {};
  const flagWide: StateFieldsDraft = {};
  const { states = {}, cohorts, ...rest } = sent;
  for (const [key, value] of Object.entries(rest)) {
    if (isLabelKey(key) && value !== undefined) readLabel(labels, key, jsonValueOf(value), site);
  }
  if (cohorts !== undefined) readStateField(flagWide, 'cohorts', jsonValueOf(cohorts), site);
  return { labels, cohorts: flagWide.cohorts, states: readStates(states, project, site) };
}

function readStates(
  sent: Readonly<Record<string, SentState>>,
  project: Project,
  site: FieldSite,
): ReadonlyMap<number, StateFields> {
  const places = statePlaces(project);
  const states = new Map<number, StateFields>();
  for (const [key, state] of Object.entries(sent)) {
    const place = places.get(key);
    if (place === undefined) site.problems.add(() => describeUnknown(key, project));
    else if (!project.isMultiEnvironment && (state.cohorts?.length ?? 0) > 0) {
      site.problems.add(() => listHasOnePlace);
    } else states.set(place.number, readState(state, { ...site, prefix: place.prefix }));
  }
  return states;
}

const listHasOnePlace =
  'states.0.cohorts is not accepted: this project has a single environment, so send its list as cohorts';

/** For each state that may be sent: its environment, and its name in messages. */
function statePlaces(project: Project): ReadonlyMap<string, { number: number; prefix: string }> {
  if (!project.isMultiEnvironment) {
    return new Map([[String(soleEnvironment), { number: soleEnvironment, prefix: '' }]]);
  }
  const places = project.environments.map(
    ({ number, name }) => [String(number), { number, prefix: `environments.${name}.` }] as const,
  );
  return new Map(places);
}

function describeUnknown(key: string, project: Project): string {
  const path = `states.${shown(key)}`;
  if (!project.isMultiEnvironment) return `${path} is not accepted: this project has a single environment, 0`;
  return `${path} is not the number of an environment of this project (${describeEnvironments(project)})`;
}

function readState(sent: SentState, site: FieldSite): StateFields {
  const fields: StateFieldsDraft = {};
  for (const [key, value] of Object.entries({ ...sent, ...inherited(sent) })) {
    if (isStateKey(key) && value !== undefined) readStateField(fields, key, jsonValueOf(value), site);
  }
  return fields;
}

/** Null inherits, like an empty list. */
function inherited({ cohorts }: SentState): { readonly cohorts?: readonly string[] } {
  return cohorts === null ? { cohorts: [] } : {};
}
