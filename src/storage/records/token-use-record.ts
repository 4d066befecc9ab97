import type { TokenUse } from '../../domain/token/token-use.ts';
import { recordCodec } from './record-codec.ts';

type TokenUseRow = readonly [
  tokenId: string,
  at: number,
  route: string,
  environment: string | null,
  address: string,
  count: number,
];

export const tokenUseRecord = recordCodec<TokenUse, TokenUseRow>({
  database: 'token-uses',
  version: 1,
  toRow: (it) => [it.tokenId, it.at, it.route, it.environment, it.address, it.count],
  fromRow: ([tokenId, at, route, environment, address, count]) => ({
    tokenId,
    at,
    route,
    environment,
    address,
    count,
  }),
});
