/** A long answer that cannot be made now: its client is told to retry, with the message, unless it has the beginning. */
export class CutAnswer extends Error {}
