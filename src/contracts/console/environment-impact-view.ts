import type { NameImpact } from '../../domain/project/environment-impact.ts';
import type { EnvironmentImpact } from './console-views.ts';

export function environmentImpactView({ tokensLosing, tokensGaining }: NameImpact): EnvironmentImpact {
  return { tokensLosing: [...tokensLosing], tokensGaining: [...tokensGaining] };
}
