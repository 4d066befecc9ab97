import type { EvaluationReasonName } from '../domain/evaluation/evaluation-reason.ts';
import type { SyncSnapshot } from '../domain/sync/configuration.ts';

/**
 * The context of an evaluation. Strings, numbers, booleans and dates are attributes: numbers as JavaScript prints them,
 * dates as ISO text. A list gives an attribute several values. Objects and null are left out.
 */
export interface FlagContext {
  /** Identifies the user: a percentage gives a key the same answer each time. Without it, the first cohort is the key. */
  readonly targetingKey?: string | undefined;
  /** The user's cohort, or several: any of them matches. */
  readonly cohort?: string | readonly string[] | undefined;
  readonly [attribute: string]: unknown;
}

/**
 * `stream` follows changes, `poll` asks every 30 seconds, `once` asks until it has an answer and then stops (for a function
 * that lives for seconds).
 */
export type ClientMode = 'stream' | 'poll' | 'once';

export interface ClientOptions {
  /** Where Burgee is, such as `https://flags.example.com`. A path before its own is kept. */
  readonly url: string | URL;
  /** The project's id or slug. */
  readonly project: string;
  /** The environment's name; left out for a project without environments. */
  readonly environment?: string | null | undefined;
  /**
   * An active token of the project; permission to read is enough. A function is called for each connection, and must
   * answer at once: so a rotated token, in a mounted secret for example, works without a restart.
   */
  readonly token: string | (() => string);
  /** By default `stream`. */
  readonly mode?: ClientMode | undefined;
  /**
   * A configuration to begin with: the path of a file, or its parsed content. `GET
   * /sync/v1/{project}/{environment}` with `Accept: application/json` gives one.
   */
  readonly bootstrap?: string | URL | SyncSnapshot | undefined;
  /** The path of a file where the client keeps its last configuration, for a start while Burgee is unreachable. */
  readonly cacheFile?: string | URL | undefined;
  /** How long `connect` waits for Burgee, in milliseconds; by default 3,000. */
  readonly startTimeoutMs?: number | undefined;
}

/**
 * - `ready`: answers come from Burgee's newest configuration. With `stream` it is up to 45 seconds old if a network drops
 *   the connection silently. With `poll` it is as old as the last answered poll: some 30 seconds, never more than 45. With
 *   `once` it is that of the start.
 * - `stale`: Burgee is unreachable; answers come from the last configuration.
 * - `error`: Burgee refuses this client, or it never had a configuration. Answers come from the last configuration, else
 *   they are the fallbacks.
 */
export type ClientStatus = 'ready' | 'stale' | 'error';

/** Why an evaluation gave the fallback. */
export type FallbackReason = 'flag-not-found' | 'not-ready';

/** What one rule contributed to an answer. */
export interface ExplainedStep {
  readonly rule: 'switch' | 'cohort' | 'audience' | 'percentage';
  /** `decides` gives the answer, `passes` goes on with the next rule, `not-reached` comes after the decision. */
  readonly outcome: 'decides' | 'passes' | 'not-reached';
  /** A sentence for a person. */
  readonly explanation: string;
}

/** An answer with its reasons. */
export interface Explanation {
  readonly value: boolean;
  readonly reason: EvaluationReasonName | FallbackReason;
  /** The rule that decided; null when the value is the fallback. */
  readonly rule: ExplainedStep['rule'] | null;
  /** Where the key falls for this flag, 0 to below 100: on when below the percentage. Null without a key. */
  readonly bucket: number | null;
  /** All rules. Empty when the value is the fallback. */
  readonly steps: readonly ExplainedStep[];
  /** The deciding rule's sentence, or why there was no answer and what to do. */
  readonly explanation: string;
  readonly flagId: string | null;
  readonly name: string | null;
  /** Of the configuration; null without one. */
  readonly version: string | null;
}

/** An answer with the details that OpenFeature needs. */
export interface EvaluatedFlag {
  readonly value: boolean;
  readonly flagId: string;
  /** Counts the changes of the flag. */
  readonly revision: number;
  readonly reason: EvaluationReasonName;
  /** The reason in OpenFeature's words. */
  readonly openFeatureReason: 'STATIC' | 'TARGETING_MATCH' | 'SPLIT';
}

export interface ClientEvents {
  /** Names of the flags whose answers may differ now. */
  change: (names: readonly string[]) => void;
  /** The new status, and a sentence that says why. */
  status: (status: ClientStatus, why: string) => void;
}

/** Answers from a configuration in memory, which it keeps up to date. */
export interface BurgeeClient {
  /**
   * @param nameOrId a flag's id, else its name, if no other flag of the project has the same
   * @returns whether the flag is on, or the fallback if there is no such flag. Never throws and never waits.
   */
  isOn(nameOrId: string, context: FlagContext, fallback: boolean): boolean;
  /** The same answer with its reasons. It takes longer, and is not counted as usage. */
  explain(nameOrId: string, context: FlagContext, fallback: boolean): Explanation;
  /** The same answer, counted as usage, with its reason; or why there is none. */
  evaluate(nameOrId: string, context: FlagContext): EvaluatedFlag | FallbackReason;
  readonly status: ClientStatus;
  /** Why it has this status, in a sentence. */
  readonly why: string;
  /** Of the configuration that it answers from: `<history>.<number>`. Null while it has none. */
  readonly version: string | null;
  /** The project, and its environment behind a slash. */
  readonly flagSetId: string;
  /** @returns what removes the listener again */
  on<Name extends keyof ClientEvents>(name: Name, listener: ClientEvents[Name]): () => void;
  /** Sends the last counts of usage, for at most a second, and ends the connection. */
  close(): Promise<void>;
}
