import type { Denial, DenialReason } from '../../domain/token/denial.ts';

/** A denial as activity and outbox records keep it. */
export type DenialRow = readonly [
  tokenId: string,
  at: number,
  reason: DenialReason,
  route: string,
  environment: string | null,
  address: string,
];

export function denialToRow(it: Denial): DenialRow {
  return [it.tokenId, it.at, it.reason, it.route, it.environment, it.address];
}

export function denialFromRow([tokenId, at, reason, route, environment, address]: DenialRow): Denial {
  return { tokenId, at, reason, route, environment, address };
}
