import type { WireAnswer } from '../wire-connection.ts';

/**
 * What a client knows of a change from its answer: it has happened everywhere; it has happened; it is unknown; it has
 * not happened. `fault` is an answer that no change may get.
 */
export type ChangeOutcome = 'acknowledged' | 'stored' | 'uncertain' | 'refused' | 'fault';

export function outcomeOf(status: number, text: string): ChangeOutcome {
  if (status === 200 || status === 201) return 'acknowledged';
  if (status !== 503) return 'fault';
  if (text.includes('Stored, not confirmed everywhere')) return 'stored';
  return text.includes('may have been applied') ? 'uncertain' : 'refused';
}

export function isDetached({ head }: Pick<WireAnswer, 'head'>): boolean {
  return /\r\nburgee-state: detached/i.test(head);
}
