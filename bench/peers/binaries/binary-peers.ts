import type { BinaryPeer } from './binary-peer.ts';
import { flagdPeer } from './flagd.ts';
import { flagrPeer } from './flagr.ts';
import { fliptPeer } from './flipt.ts';
import { goFeatureFlagPeer } from './go-feature-flag.ts';
import { unleashEdgePeer } from './unleash-edge.ts';

/** The servers that the bench suite starts from ready programs. */
export const binaryPeers: readonly BinaryPeer[] = [
  flagrPeer,
  unleashEdgePeer,
  goFeatureFlagPeer,
  flagdPeer,
  fliptPeer,
];
