import { type Static, Type } from 'typebox';
import { shape, text } from './view-parts.ts';

const count = Type.Integer({ minimum: 0 });

export const shownNodeSchema = shape({
  /** New for each process. */
  id: text,
  /** What people know it by: its host. */
  label: text,
  /** The node that has answered. */
  isAnswering: Type.Boolean(),
  /** Whether its lease may be valid: otherwise no change waits for it, and it evaluates from its last state. */
  isAttached: Type.Boolean(),
  /** As it said when it last renewed its lease. */
  position: count,
  /** Positions between its own and the newest. */
  lag: count,
  renewedMsAgo: count,
  /** For how long it may still take its state for current; 0 where it may not. */
  leaseMs: count,
  /** What runs on it for all nodes. */
  duties: Type.Array(text),
});
export type ShownNode = Static<typeof shownNodeSchema>;

export const nodeListSchema = shape({
  /** The newest position of the cluster. */
  position: count,
  nodes: Type.Array(shownNodeSchema),
});
export type NodeList = Static<typeof nodeListSchema>;
