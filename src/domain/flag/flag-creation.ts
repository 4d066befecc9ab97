import {
  entriesOf,
  type JsonMembers,
  type JsonValue,
  jsonMembersOf,
  kindOf,
} from '../../support/json-value.ts';
import type { AuditChange } from '../audit/audit-entry.ts';
import type { RequestBody } from '../management/request-body.ts';
import { type ProblemList, problemsListedMax, shown } from '../problem-list.ts';
import { describeEnvironments, type Project, soleEnvironment } from '../project/project.ts';
import { type Flag, type FlagState, initialState } from './flag.ts';
import { type FlagLabels, type FlagLabelsDraft, isLabelKey, readLabel } from './flag-labels.ts';
import { newStateChanges, stateChanges } from './state-changes.ts';
import {
  addUnknownField,
  type FieldSite,
  isNull,
  isStateKey,
  readMembers,
  readStateField,
  type StateFields,
  type StateFieldsDraft,
} from './state-fields.ts';
import { storedLists, wholeFlag } from './whole-flag.ts';

/** A flag from a create body. */
export interface FlagDraft extends FlagLabels {
  /** By environment number; a state with all defaults has no entry. */
  readonly states: ReadonlyMap<number, FlagState>;
}

/**
 * Reads a create body for either kind of project.
 *
 * @param hasAudience whether the project has an audience with this id.
 * @param problems receives every problem, keys in the order sent, a missing `name` last; the draft is valid only while
 * it is empty.
 */
export function parseCreation(
  body: RequestBody,
  project: Project,
  hasAudience: (id: string) => boolean,
  problems: ProblemList,
): FlagDraft {
  const reader = new CreationReader(project, { prefix: '', isQuoted: false, problems, hasAudience });
  if (body.kind === 'unreadable') problems.add(() => body.problem);
  else if (body.kind === 'empty') problems.add(() => 'the request body is empty: a JSON object must be sent');
  else reader.read(body.members);
  return reader.draft();
}

/** The environments that a create body names, with repetitions; none for an unreadable body. */
export function* namedEnvironments(body: RequestBody): Generator<string> {
  if (body.kind !== 'object') return;
  const environments = body.members.listed.get('environments');
  if (environments === undefined) return;
  for (const [name] of entriesOf(environments)) yield name;
}

/** @param now Unix milliseconds. @returns the flag, which does not own its name yet */
export function newFlag(draft: FlagDraft, id: string, projectId: string, now: number): Flag {
  const { name, description, tags, states } = draft;
  const labels = { name, nameSince: null, aliases: [], description, tags };
  const times = { createdAt: now, updatedAt: now };
  return { id, projectId, ...labels, cohorts: [], states, revision: 1, ...times };
}

/** The audit entry of a new flag. State with default values is not listed. */
export function creationChanges(flag: Flag, project: Project): AuditChange[] {
  const { name, description, tags } = flag;
  const labels = Object.entries({ name, description, tags });
  const changes: AuditChange[] = labels.map(([field, after]) => ({ field, before: null, after }));
  for (const [number, state] of flag.states) {
    const environment = project.environments.find((candidate) => candidate.number === number);
    const prefix = environment === undefined ? '' : `environments.${environment.name}.`;
    changes.push(...newStateChanges(state).map((change) => ({ ...change, field: prefix + change.field })));
  }
  if (flag.cohorts.length > 0) changes.push({ field: 'cohorts', before: null, after: flag.cohorts });
  if (flag.nameSince === null) changes.push({ field: 'answersToName', before: null, after: false });
  return changes;
}

/** The audit entry of a deleted flag: everything that the entry of a creation would list, with null as the new value. */
export function deletionChanges(flag: Flag, project: Project): AuditChange[] {
  const whole = { ...flag, ...storedLists(wholeFlag(flag, project), project) };
  return creationChanges(whole, project).map(({ field, after }) => ({ field, before: after, after: null }));
}

class CreationReader {
  readonly #project: Project;
  readonly #site: FieldSite;
  readonly #labels: FlagLabelsDraft = {};
  readonly #flat: StateFieldsDraft = {};
  readonly #states = new Map<number, FlagState>();

  constructor(project: Project, site: FieldSite) {
    this.#project = project;
    this.#site = site;
  }

  read(members: JsonMembers): void {
    readMembers(members, this.#site, (key, value) => this.#readField(key, value));
    this.#keep(soleEnvironment, this.#flat);
    if (!members.listed.has('name')) this.#site.problems.add(() => 'name is required');
  }

  draft(): FlagDraft {
    const { name = '', description = '', tags = [] } = this.#labels;
    return { name, description, tags, states: this.#states };
  }

  #readField(key: string, value: JsonValue): void {
    if (isLabelKey(key)) readLabel(this.#labels, key, value, this.#site);
    else if (key === 'environments') this.#readEnvironments(value);
    else if (!isStateKey(key)) addUnknownField(this.#site, key);
    else if (this.#project.isMultiEnvironment) this.#refuseFlat(key);
    else readStateField(this.#flat, key, value, this.#site);
  }

  #refuseFlat(key: string): void {
    const fix = `this project has several environments, so send it as environments.<env>.${key}`;
    this.#site.problems.add(() => `${key} is not accepted here: ${fix}`);
  }

  #readEnvironments(value: JsonValue): void {
    const { problems } = this.#site;
    if (!this.#project.isMultiEnvironment) {
      const fix = 'this project has a single environment, so send its state at the top of the body';
      problems.add(() => `environments is not accepted: ${fix}`);
    } else if (isNull(value, 'environments', this.#site)) return;
    else if (kindOf(value) !== 'object') {
      problems.add(() => 'environments must be an object keyed by environment name');
    } else this.#readEntries(value);
  }

  #readEntries(value: JsonValue): void {
    const numbers = new Map(this.#project.environments.map(({ name, number }) => [name, number]));
    const members = jsonMembersOf(value, (name) => numbers.has(name), problemsListedMax);
    readMembers(members, this.#site, (name, state) => this.#readEntry(name, numbers.get(name), state));
  }

  #readEntry(name: string, environmentNumber: number | undefined, value: JsonValue): void {
    const { problems } = this.#site;
    const path = () => `environments.${shown(name)}`;
    if (environmentNumber === undefined) {
      const valid = () => describeEnvironments(this.#project);
      problems.add(() => `${path()} is not an environment of this project (${valid()})`);
    } else if (kindOf(value) === 'null') problems.add(() => `${path()} cannot be null`);
    else if (kindOf(value) !== 'object') problems.add(() => `${path()} must be an object`);
    else this.#keep(environmentNumber, this.#readState(value, `${path()}.`));
  }

  #readState(value: JsonValue, prefix: string): StateFields {
    const site = { ...this.#site, prefix };
    const fields: StateFieldsDraft = {};
    readMembers(jsonMembersOf(value, isStateKey, problemsListedMax), site, (key, field) => {
      if (isStateKey(key)) readStateField(fields, key, field, site);
      else addUnknownField(site, key);
    });
    return fields;
  }

  #keep(environmentNumber: number, fields: StateFields): void {
    const { enabled, trafficPercentage, cohorts = [], audienceId } = fields;
    const state: FlagState = {
      enabled: enabled ?? initialState.enabled,
      trafficPercentage: trafficPercentage ?? initialState.trafficPercentage,
      cohortOverride: cohorts.length === 0 ? null : cohorts,
      audienceId: audienceId ?? initialState.audienceId,
    };
    if (stateChanges(initialState, state).length > 0) this.#states.set(environmentNumber, state);
  }
}
