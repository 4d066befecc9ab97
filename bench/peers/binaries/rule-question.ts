/**
 * What the programs are asked, and Burgee with them: each has as many flags, on for a share of those whom one rule on an
 * attribute matches, and is asked for one of them.
 */
export const ruleFlags: readonly string[] = Array.from({ length: 200 }, (_unused, index) => `f${index}`);
export const askedFlag = 'f7';
/** The rule: this attribute must have this value. */
export const rule = { attribute: 'plan', value: 'pro' } as const;
/** A value that the rule does not match. */
export const otherValue = 'free';
export const rolloutPercentage = 50;
