import type { ConsoleFlagView, StateView } from '../../contracts/console/flag-views.ts';
import type { EditFlagBody } from '../../operations/flags/edit-flag.ts';
import { type ShownChange, splitField } from '../parts/change-words.ts';
import type { Fields } from './draft.ts';

const labelNames = ['name', 'aliases', 'description', 'tags', 'cohorts'] as const;
const stateNames = ['enabled', 'trafficPercentage', 'cohortOverride', 'audienceId'] as const;
/** The state's number in a project without environments. */
const soleState = '0';
export type StateName = (typeof stateNames)[number];

export function stateKey(environment: string, name: StateName): string {
  return `${environment}/${name}`;
}

/** @returns the environment's number as a decimal and the field's name; null for a field of the whole flag. */
export function partsOfKey(key: string): { environment: string | null; name: string } {
  const [environment, name] = key.split('/');
  return name === undefined ? { environment: null, name: key } : { environment: environment ?? '', name };
}

export function flagFields(flag: ConsoleFlagView): Fields {
  const labels = labelNames.map((name): [string, unknown] => [name, flag[name]]);
  const states = Object.entries(flag.states).flatMap(([environment, state]) =>
    stateNames.map((name): [string, unknown] => [stateKey(environment, name), state[name]]),
  );
  // Nothing that is stored: an edit of it lets the flag take its name from another one.
  return Object.fromEntries([...labels, ['takesName', false], ...states]);
}

type StateBody = NonNullable<EditFlagBody['states']>[string];

/** An environment's own list is sent as `cohorts`; an empty one inherits, like none. */
function stateBody(edits: readonly (readonly [string, unknown])[]): StateBody {
  return Object.fromEntries(
    edits.map(([name, value]) => [name === 'cohortOverride' ? 'cohorts' : name, value]),
  ) as StateBody;
}

/** A whole draft as one request. */
export function flagBody(revision: number, edits: Fields): EditFlagBody {
  const labels: [string, unknown][] = [];
  const states = new Map<string, [string, unknown][]>();
  for (const [key, value] of Object.entries(edits)) {
    const { environment, name } = partsOfKey(key);
    if (environment === null) labels.push([name, value]);
    else states.set(environment, [...(states.get(environment) ?? []), [name, value]]);
  }
  const sent = Array.from(states, ([environment, own]): [string, StateBody] => [environment, stateBody(own)]);
  return {
    revision,
    ...Object.fromEntries(labels),
    ...(sent.length === 0 ? {} : { states: Object.fromEntries(sent) }),
  };
}

/**
 * What undoes changes of a flag's audit log, as edits. A list that the log has only in part is left out.
 *
 * @param changes newest first
 * @param numberOf the number of an environment as a decimal, by its name; undefined for none
 */
export function undoingEdits(
  changes: readonly ShownChange[],
  numberOf: (environment: string) => string | undefined,
): Fields {
  const edits = new Map<string, unknown>();
  for (const change of changes) {
    const { environment, field, before, cut } = splitField(change);
    const number = environment === null ? soleState : numberOf(environment);
    const state = stateNames.find((name) => name === field);
    const isLabel = environment === null && labelNames.some((name) => name === field);
    const key = isLabel
      ? field
      : number === undefined || state === undefined
        ? null
        : stateKey(number, state);
    if (key === null) continue;
    if (cut) edits.delete(key);
    else edits.set(key, before);
  }
  // Former names follow from the name.
  edits.delete('aliases');
  return Object.fromEntries(edits);
}

/** Edits that copy the state of one environment to another. */
export function copiedState(from: StateView, environment: string): Fields {
  return Object.fromEntries(stateNames.map((name) => [stateKey(environment, name), from[name]]));
}
