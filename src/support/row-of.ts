/**
 * One commit in the log of a cluster: a change of the history, or a group of changes that were made together. It links to
 * the row before it by a checksum, so that a replica of another history is found out.
 * @typeParam Bytes a Buffer; between threads a plain `Uint8Array`, which structured cloning makes of it
 */
export interface RowOf<Bytes extends Uint8Array> {
  /** From 2 on, without a gap: the history begins at 1, which is what was uploaded. */
  readonly position: number;
  /** The node that decided it. */
  readonly node: string;
  /** A UUID of its own: whose row it is, where the outcome of a commit is not known. */
  readonly batch: string;
  /** Of the records in `changes`: a node that does not know it stays where it is, and is not ready until it is upgraded. */
  readonly format: number;
  /** The puts and removals, as `src/storage/replica` encodes them. */
  readonly changes: Bytes;
  /** SHA-256 over the checksum of the row before, and all of the above. */
  readonly checksum: Bytes;
}
