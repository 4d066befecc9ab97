/** JSON as it stands in a case file; objects may hold matchers (`$…`) and strings may hold placeholders (`${…}`). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One sentence of the specification or of its decisions, and what a client must see if it holds. */
export interface ConformanceCase {
  readonly id: string;
  /** Quoted word for word from `source`. */
  readonly sentence: string;
  /** `document: heading`, as in `headings.json`. */
  readonly source: string;
  /** A name in `givens.json`: which fixture the service was provisioned with, and its settings. */
  readonly given: string;
  readonly steps: readonly Step[];
  /** The same rule put to the pure domain, where it concerns evaluation alone. */
  readonly domain?: DomainCase;
}

export type Step = ExchangeStep | HoldStep | OperatorStep | RolloutStep | TallyStep;

/** A request and the answer it must get. */
export interface ExchangeStep {
  readonly request: CaseRequest;
  readonly expect: Expectation;
  /** Name to a path into the response (`body.flag.id`, `headers.x`, `text`, `status`) or `clock`. */
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
  /** Exact: no key more or less, matchers allowed in the place of values. */
  readonly body?: Json;
  /** A subset: keys that it does not name are not looked at. */
  readonly bodyMatches?: Json;
  readonly bodyText?: Json;
}

/** A `burgee` command on the running server's data directory; `--data-dir` is added. */
export interface OperatorStep {
  readonly operator: readonly string[];
}

/** A request whose body does not end: a part of what it declares is sent, and the connection held until the case ends. */
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
    /** So many made-up keys; beside them always the keys of the published vectors. */
    readonly keys: number;
    /** More of the query string, sent as it is. */
    readonly query?: string;
  };
}

/** Sends a request many times and looks at which answers came: `enabled` must have been both. */
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

/** A flag's state and a query, in words of their own, for any implementation of the rules. */
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
    /** Null where either answer is right: a random roll. */
    readonly enabled: boolean | null;
    readonly reason: (typeof domainReasons)[number];
  };
}

/** A service as the cases find it. */
export interface Given {
  readonly about: string;
  readonly fixture: string;
  readonly settings: Readonly<Record<string, string>>;
}
