import type { ClientResponse } from '../../support/http-client.ts';
import type { Target } from './installation.ts';

/** A flag's state in one environment, as an answer shows it. */
export interface ShownState {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  readonly cohorts: readonly string[];
}

export type PatchBody = Partial<ShownState>;

/** A change that a client has requested. */
export type Attempt =
  | { readonly kind: 'patch'; readonly target: Target; readonly body: PatchBody }
  | { readonly kind: 'create'; readonly name: string; readonly body: PatchBody }
  | { readonly kind: 'denial'; readonly tokenId: string };

/** An acknowledged change. */
export interface AcknowledgedChange {
  readonly target: Target;
  readonly name: string;
  readonly state: ShownState;
  readonly updatedAt: number;
}

interface ShownFlag extends ShownState {
  readonly id: string;
  readonly name: string;
  readonly updatedAt: number;
}

/** Thrown for an answer that no request of the load may get. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/**
 * What the clients of a load know: the acknowledged changes, the refused ones, and those without an answer. A change
 * without an answer may have been made or not, but only as a whole.
 */
export class Acknowledgements {
  /** Acknowledged changes by request id. */
  readonly changes = new Map<string, AcknowledgedChange>();
  /** Request ids of writes that were answered as failed. */
  readonly refused = new Set<string>();
  readonly unanswered: Attempt[] = [];
  /** Answers of a dying process that it does not know. */
  unknownAnswers = 0;
  /** Answered refusals by token id. */
  readonly denials = new Map<string, number>();
  /** Successful patches that changed nothing, and reads. */
  otherAnswers = 0;
  /** Times of changes, by flag: each change of a flag has its own. */
  readonly #times = new Set<string>();
  /** Counts by status of answers that were neither a success nor an expected refusal. */
  readonly failures = new Map<number, number>();

  /**
   * @returns the flag's state after the attempt; `unchanged` if nothing was changed, `unknown` if the answer leaves it
   *   open.
   * @throws WrongAnswer
   */
  take(attempt: Attempt, answer: ClientResponse | null): ShownState | 'unchanged' | 'unknown' {
    if (answer === null || isUnknown(answer)) {
      this.unanswered.push(attempt);
      if (answer !== null) this.unknownAnswers += 1;
      return 'unknown';
    }
    if (answer.status >= 500) return this.#takeFailure(answer);
    if (attempt.kind === 'denial') return this.#takeDenial(attempt.tokenId, answer);
    const expected = attempt.kind === 'create' ? 201 : 200;
    if (answer.status !== expected) throw new WrongAnswer(`${attempt.kind}: ${answer.status} ${answer.text}`);
    return attempt.kind === 'create' ? this.#takeCreation(answer) : this.#takePatch(attempt.target, answer);
  }

  #takeFailure(answer: ClientResponse): 'unchanged' {
    this.refused.add(requestIdOf(answer));
    this.failures.set(answer.status, (this.failures.get(answer.status) ?? 0) + 1);
    const { error, detail, docs } = JSON.parse(answer.text) as Record<string, unknown>;
    const isEnvelope = [error, detail, docs].every((text) => typeof text === 'string' && text !== '');
    if (!isEnvelope) throw new WrongAnswer(`${answer.status} without the envelope: ${answer.text}`);
    return 'unchanged';
  }

  #takeDenial(tokenId: string, answer: ClientResponse): 'unchanged' {
    if (answer.status !== 403) throw new WrongAnswer(`a read token's patch: ${answer.status} ${answer.text}`);
    this.denials.set(tokenId, (this.denials.get(tokenId) ?? 0) + 1);
    return 'unchanged';
  }

  #takeCreation(answer: ClientResponse): ShownState {
    const flag = JSON.parse(answer.text) as ShownFlag;
    return this.#add({ flagId: flag.id, environment: null }, answer, flag);
  }

  #takePatch(target: Target, answer: ClientResponse): ShownState {
    const { changed, flag } = JSON.parse(answer.text) as { changed: boolean; flag: ShownFlag };
    if (changed) return this.#add(target, answer, flag);
    this.otherAnswers += 1;
    return stateOf(flag);
  }

  #add(target: Target, answer: ClientResponse, flag: ShownFlag): ShownState {
    const state = stateOf(flag);
    const time = `${flag.id} ${flag.updatedAt}`;
    if (this.#times.has(time)) throw new WrongAnswer(`two changes of one time: ${time}`);
    this.#times.add(time);
    this.changes.set(requestIdOf(answer), { target, name: flag.name, state, updatedAt: flag.updatedAt });
    return state;
  }
}

function stateOf({ enabled, trafficPercentage, cohorts }: ShownFlag): ShownState {
  return { enabled, trafficPercentage, cohorts };
}

function requestIdOf(answer: ClientResponse): string {
  const id = answer.headers.get('x-request-id');
  if (id === undefined)
    throw new WrongAnswer(`an answer without X-Request-Id: ${answer.status} ${answer.text}`);
  return id;
}

/** A dying process answers that it does not know. */
function isUnknown(answer: ClientResponse): boolean {
  return answer.status === 503 && answer.text.includes('may have been applied');
}
