/**
 * The question to the peers and to Burgee. Each server has the same number of flags, which are on for a share of the
 * users that one rule on an attribute matches. Each evaluates one of these flags.
 */
export const ruleFlags: readonly string[] = Array.from({ length: 200 }, (_unused, index) => `f${index}`);
export const askedFlag = 'f7';
/** The rule: this attribute must have this value. */
export const rule = { attribute: 'plan', value: 'pro' } as const;
/** A value that the rule does not match. */
export const otherValue = 'free';
export const rolloutPercentage = 50;
