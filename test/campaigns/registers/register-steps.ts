import { expect } from '../../support/expectations.ts';
import type { Random } from '../../support/random.ts';
import { getRequest, patchRequest, type WireAnswer } from '../wire-connection.ts';
import type { RegisterAction } from './register-history.ts';

/** Values that clients have written lately, which are asked for. */
const recentMax = 6;

/** Flags as registers: the one cohort of a flag is its value, and the flag is off for all others. */
export interface Registers {
  /** Ids of the flags. */
  readonly flags: readonly string[];
  /** Of a token that may change them. */
  readonly secret: string;
  readonly initial: string;
  /** By flag. */
  readonly recent: readonly string[][];
}

/** A request of a client, and what its answer says about a register. */
export interface RegisterStep {
  readonly flag: number;
  readonly request: string;
  readonly action: (answer: WireAnswer) => RegisterAction;
  /** A write's value; null for a request that changes nothing. */
  readonly written: string | null;
}

export function openRegisters(flags: readonly string[], secret: string, initial: string): Registers {
  return { flags, secret, initial, recent: flags.map(() => [initial]) };
}

/** @param name differs for each step: it is the value of a write */
export function chooseStep(
  { flags, secret, initial, recent }: Registers,
  random: Random,
  name: string,
): RegisterStep {
  const flag = random.integer(0, flags.length - 1);
  const id = flags[flag] ?? '';
  const values = recent[flag] ?? [initial];
  const chance = random.next();
  if (chance < 0.4) {
    const request = patchRequest(`/api/v1/flags/${id}`, secret, { cohorts: [name] });
    noteRecent(values, name);
    return { flag, request, action: () => ({ kind: 'write', value: name }), written: name };
  }
  if (chance < 0.7) {
    const request = getRequest(`/api/v1/flags/${id}`, secret);
    return { flag, request, action: ({ body }) => ({ kind: 'read', value: valueIn(body) }), written: null };
  }
  const value = random.pick(values);
  const request = getRequest(`/v1/flags/${id}?cohort=${encodeURIComponent(value)}`);
  const action = ({ body }: WireAnswer): RegisterAction => {
    const { enabled } = JSON.parse(body) as { enabled: boolean };
    return { kind: 'test', value, holds: enabled };
  };
  return { flag, request, action, written: null };
}

function valueIn(body: string): string {
  const { cohorts } = JSON.parse(body) as { cohorts: readonly string[] };
  expect(cohorts.length === 1, `a flag with the cohorts ${cohorts.join(', ')}`);
  return cohorts[0] ?? '';
}

function noteRecent(recent: string[], value: string): void {
  recent.push(value);
  if (recent.length > recentMax) recent.shift();
}
