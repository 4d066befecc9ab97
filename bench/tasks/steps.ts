import type { Hand } from './hand.ts';
import { stepsBefore } from './steps-before.ts';

/** What a person does for each task, by its id. What they have read, where that is the task. */
export type Steps = Readonly<Record<string, (hand: Hand) => Promise<string | void>>>;

/** The shortest known way through each task in this console. */
export const steps: Steps = stepsBefore;
