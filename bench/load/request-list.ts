/** One request of a load, and the status that its answer must have. */
export interface BenchRequest {
  /** Path and query. */
  readonly path: string;
  /** The only status that its answer may have. */
  readonly status: number;
  /** GET unless given. */
  readonly method?: 'GET' | 'PATCH' | 'POST';
  /** JSON, sent with its content type. */
  readonly body?: string;
}

/** Requests that a load makes in this order, repeatedly. */
export interface RequestList {
  readonly origin: string;
  readonly requests: readonly BenchRequest[];
  /** Sent with every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}
