/** How far a client knows the configuration of an environment: `<history>.<number>` on the wire. */
export interface SyncPosition {
  readonly history: string;
  /** Of the last change that it knows of. */
  readonly number: number;
}

export function formatSyncPosition({ history, number }: SyncPosition): string {
  return `${history}.${number}`;
}

const pattern = /^([0-9A-Za-z]{20})[.](0|[1-9]\d{0,14})$/;

/** @returns null for a text that `formatSyncPosition` has not written */
export function readSyncPosition(text: string): SyncPosition | null {
  const [, history, number] = pattern.exec(text) ?? [];
  return history === undefined || number === undefined ? null : { history, number: Number(number) };
}

/** Whether a client at this position knows everything: nothing has changed since, and nothing is known that is yet to come. */
export function isUpToDate(
  known: SyncPosition,
  present: SyncPosition,
  /** Of the last change of the environment. */
  version: number,
): boolean {
  return known.history === present.history && version <= known.number && known.number <= present.number;
}
