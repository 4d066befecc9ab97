/** What a person uses for a task. */
export type Device = 'mouse' | 'keyboard' | 'phone';

export const devices: readonly Device[] = ['mouse', 'keyboard', 'phone'];

/**
 * Seconds of a practised person's actions, from the keystroke-level model: K, P, H and M by Card, Moran and Newell,
 * "The Keystroke-Level Model for User Performance Time with Interactive Systems", Communications of the ACM 23(7), 1980;
 * B by Kieras, "Using the Keystroke-Level Model to Estimate Execution Times", 2001; a key of a phone by Palin and
 * others, "How do People Type on Mobile Devices?", MobileHCI 2019: 36.2 words of five characters a minute.
 */
export const actionSeconds = {
  /** K: a key of a skilled typist. */
  key: 0.2,
  phoneKey: 0.33,
  /** P: points at something; here also a turn of the wheel, or a swipe, by most of a screen. */
  point: 1.1,
  /** B: presses or releases a button; a click is two. */
  button: 0.1,
  /** H: moves the hand between keyboard and mouse. */
  home: 0.4,
  /** M: looks, and decides what to do next. */
  think: 1.35,
} as const;

/** What a task has cost so far. */
export class Effort {
  /** Pointer presses. */
  clicks = 0;
  /** Key presses; typed text counts by its characters. */
  keys = 0;
  /** Of a person, by the model. */
  modelSeconds = 0;
  /** Until the page showed what the next action needs. */
  waitedMs = 0;

  charge(seconds: number): void {
    this.modelSeconds += seconds;
  }

  /** @returns figures for a result of the suite */
  get figures(): Readonly<Record<'clicks' | 'keys' | 'seconds' | 'waitedMs', number>> {
    const { clicks, keys, modelSeconds, waitedMs } = this;
    return { clicks, keys, seconds: modelSeconds + waitedMs / 1000, waitedMs };
  }
}
