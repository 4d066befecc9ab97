import { ByteSet } from '../../support/byte-set.ts';
import { type PackedList, packList } from '../../support/packed-list.ts';
import type { Audience } from './audience.ts';

export interface CompiledRule {
  readonly attribute: Uint8Array;
  readonly values: ByteSet;
}

/** An audience compiled for evaluation. The flags of a project that apply it share it. */
export interface CompiledAudience {
  readonly id: string;
  readonly rules: readonly CompiledRule[];
  readonly sizeBytes: number;
}

/** The parts of an audience that evaluation needs. */
export interface EvaluableAudience {
  readonly id: string;
  readonly rules: readonly { readonly attribute: string; readonly values: PackedList }[];
}

const encoder = new TextEncoder();
const ruleOverheadBytes = 100;

export function compileAudience(audience: EvaluableAudience): CompiledAudience {
  const held = new Set<ArrayBufferLike>();
  let sizeBytes = ruleOverheadBytes;
  const rules = audience.rules.map((rule) => {
    const attribute = encoder.encode(rule.attribute);
    const values = new ByteSet(rule.values);
    held.add(rule.values.bytes.buffer);
    sizeBytes += ruleOverheadBytes + attribute.length + values.sizeBytes;
    return { attribute, values };
  });
  for (const { byteLength } of held) sizeBytes += byteLength;
  return { id: audience.id, rules, sizeBytes };
}

export function evaluableAudienceOf({ id, rules }: Audience): EvaluableAudience {
  return { id, rules: rules.map(({ attribute, values }) => ({ attribute, values: packList(values) })) };
}
