/** JSON of a case file: objects may contain matchers (`$…`), and strings may contain placeholders (`${…}`). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One sentence of the specification or of its decisions, with steps that check it from outside. */
export interface ConformanceCase {
  readonly id: string;
  /** Quoted word for word from `source`. */
  readonly sentence: string;
  /** `document: heading`, as in `headings.json`. */
  readonly source: string;
  /** A name in `givens.json`: which fixture the service was provisioned with, and its settings. */
  readonly given: string;
  readonly steps: readonly Step[];
  /** The same rule in the pure domain, if it concerns only evaluation. */
  readonly domain?: DomainCase;
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
  readonly status: Json;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, Json>>;
  /** The exact body: no key more or less; values may be matchers. */
  readonly body?: Json;
  /** A subset of the body: other keys are ignored. */
  readonly bodyMatches?: Json;
  readonly bodyText?: Json;
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
  readonly rollout: {
    readonly flag: string;
    readonly parameter: 'targetingKey' | 'cohort';
    readonly percentage: number;
    /** The number of generated keys; the keys of the published vectors are always added. */
    readonly keys: number;
    /** More of the query string, sent unchanged. */
    readonly query?: string;
  };
}

/** Sends a request many times: `enabled` must have been both true and false. */
export interface TallyStep {
  readonly tally: { readonly request: CaseRequest; readonly times: number };
}

export const domainReasons = [
  'flag off',
  'cohort listed',
  'audience not matched',
  'everyone',
  'nobody',
  'bucket',
  'random roll',
] as const;

/** A flag's state and a query, in a form that any implementation of the rules can read. */
export interface DomainCase {
  readonly flagId: string;
  readonly state: {
    readonly enabled: boolean;
    readonly trafficPercentage: number;
    /** The environment's own list; null inherits `flagCohorts`. */
    readonly cohorts: readonly string[] | null;
  };
  readonly flagCohorts: readonly string[];
  readonly audience: readonly { readonly attribute: string; readonly values: readonly string[] }[] | null;
  /** The raw query string. */
  readonly query: string;
  readonly expected: {
    /** Null for a random roll: either answer is right. */
    readonly enabled: boolean | null;
    readonly reason: (typeof domainReasons)[number];
  };
}

/** The service that cases start from. */
export interface Given {
  readonly about: string;
  readonly fixture: string;
  readonly settings: Readonly<Record<string, string>>;
}
