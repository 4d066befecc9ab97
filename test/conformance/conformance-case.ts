/** A value of a case. Strings may contain placeholders (`${…}`). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value in a response. A regular expression stands for a text, an object may be a matcher (`matchers.ts`). */
export type Expected =
  | null
  | boolean
  | number
  | string
  | RegExp
  | readonly Expected[]
  | { readonly [key: string]: Expected };

/**
 * Cases by source (`document: heading`, as in `headings.json`), then by the sentence that is quoted word for word from
 * it, then by id.
 */
export type Topic = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, Step | readonly Step[] | CaseSteps>>>>>
>;

export interface CaseSteps {
  /** A name in `givens.json`: the fixture and the settings of the service. */
  readonly given?: string;
  readonly steps: readonly Step[];
  /** The same rule in the pure domain, if it concerns only evaluation. */
  readonly domain?: DomainCase;
}

/** One sentence of the specification or of its decisions, with steps that check it from outside. */
export interface ConformanceCase extends CaseSteps {
  readonly id: string;
  readonly sentence: string;
  readonly source: string;
  readonly given: string;
}

export type Step = ExchangeStep | HoldStep | OperatorStep | RolloutStep | TallyStep;

/** A request and the answer it must get. */
export interface ExchangeStep {
  readonly request: CaseRequest;
  readonly expect: Expectation;
  /** By name: a path into the response (`body.flag.id`, `headers.x`, `text`, `status`), or `clock`. */
  readonly capture?: Readonly<Record<string, string>>;
  /** How often it is sent, one after another, with the same expectation. */
  readonly repeat?: number;
}

export interface CaseRequest {
  readonly method: string;
  readonly path: string;
  /** Shorthand for an Authorization header: a token of the fixture, `project/name`. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  /** `before`, then `unit` that many `times`, then `after`. */
  readonly bodyRepeat?: BodyRepeat;
  /** `json`, followed by spaces up to exactly `bytes`. */
  readonly bodyPadded?: { readonly json: Json; readonly bytes: number };
  /** Sends the body without a Content-Length. */
  readonly chunked?: boolean;
  /** A label: requests of a case with the same label come from the same address, others from another. */
  readonly from?: string;
}

export interface BodyRepeat {
  readonly before: string;
  readonly unit: string;
  readonly times: number;
  readonly after: string;
}

export interface Expectation {
  readonly status: Expected;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, Expected>>;
  /** The exact body: no key more or less; values may be matchers. */
  readonly body?: Expected;
  /** A subset of the body: other keys are ignored. */
  readonly bodyMatches?: Expected;
  readonly bodyText?: Expected;
}

/** A `burgee` command on the running server's data directory; `--data-dir` is added. */
export interface OperatorStep {
  readonly operator: readonly string[];
}

/**
 * A request whose body does not end: part of the declared length is sent, and the connection is kept until the case
 * ends.
 */
export interface HoldStep {
  readonly hold: {
    readonly request: CaseRequest;
    readonly declaredBytes: number;
    readonly sentBytes: number;
  };
}

/** Evaluates many keys and compares each answer with the reference hash. */
export interface RolloutStep {
  readonly rollout: Rollout;
}

export interface Rollout {
  readonly flag: string;
  readonly parameter: 'targetingKey' | 'cohort';
  readonly percentage: number;
  /** The number of generated keys; the keys of the published vectors are always added. */
  readonly keys: number;
  /** More of the query string, sent unchanged. */
  readonly query?: string;
}

/** Sends a request many times: `enabled` must have been both true and false. */
export interface TallyStep {
  readonly tally: { readonly request: CaseRequest; readonly times: number };
}

/** The decisions of the rules, by name. `enabled` is null if either answer is right. */
export const outcomes = {
  'flag off': { enabled: false, reason: 'flag off' },
  'cohort listed': { enabled: true, reason: 'cohort listed' },
  'audience not matched': { enabled: false, reason: 'audience not matched' },
  everyone: { enabled: true, reason: 'everyone' },
  nobody: { enabled: false, reason: 'nobody' },
  'in the bucket': { enabled: true, reason: 'bucket' },
  'not in the bucket': { enabled: false, reason: 'bucket' },
  'random roll': { enabled: null, reason: 'random roll' },
} as const;

export type Outcome = keyof typeof outcomes;
export type DomainReason = (typeof outcomes)[Outcome]['reason'];

/** The part of a flag that its evaluation depends on, in one environment. It is on at 0 percent unless it says else. */
export interface FlagRules {
  readonly enabled?: boolean;
  readonly percentage?: number;
  /** The environment's own list; without it the flag-wide list is inherited. */
  readonly cohorts?: readonly string[];
  readonly wideCohorts?: readonly string[];
  /** The name of an audience of the project `shop` of the fixture. */
  readonly audience?: string;
}

/** A flag, a query and the decision, in a form that any implementation of the rules can read. */
export interface DomainCase {
  readonly flag: FlagRules & { readonly enabled: boolean; readonly percentage: number };
  /** The raw query string. */
  readonly query: string;
  /** Null for a random roll: either answer is right. */
  readonly enabled: boolean | null;
  readonly reason: DomainReason;
}

/** The service that cases start from. */
export interface Given {
  readonly about: string;
  readonly fixture: string;
  readonly settings: Readonly<Record<string, string>>;
}
