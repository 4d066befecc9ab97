/** What is asked in «Try it»: kept while somebody looks at another tab and comes back. */
export interface TrialInputs {
  /** An environment's number; null for the first. */
  readonly environment: string | null;
  readonly targetingKey: string;
  readonly cohort: string;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
}

export const noTrialInputs: TrialInputs = {
  environment: null,
  targetingKey: '',
  cohort: '',
  attributes: [],
};
