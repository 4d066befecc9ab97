// Generated from the files of operations by scripts/lib/operation-tables.mjs, with each build. Do not edit.
import { createFlag } from './flags/create-flag.ts';
import { listFlags } from './flags/list-flags.ts';
import { patchFlag } from './flags/patch-flag.ts';
import { readFlag } from './flags/read-flag.ts';
import { readToken } from './tokens/read-token.ts';

/** Every operation of the Management API. */
export const managementOperations = {
  'create-flag': createFlag,
  'list-flags': listFlags,
  'patch-flag': patchFlag,
  'read-flag': readFlag,
  'read-token': readToken,
} as const;
