/** Exact match: one of the request's values for the attribute is one of `values`, case-sensitive, untrimmed. */
export interface AudienceRule {
  readonly attribute: string;
  readonly values: readonly string[];
}

/** A named set of 1 to 50 rules; it matches when every rule matches. */
export interface Audience {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly rules: readonly AudienceRule[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}
