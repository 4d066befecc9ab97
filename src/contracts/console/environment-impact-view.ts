import type { NameImpact } from '../../domain/project/environment-impact.ts';
import type { EnvironmentImpact } from './views/project-views.ts';

export function environmentImpactView({ tokensLosing, tokensGaining }: NameImpact): EnvironmentImpact {
  return { tokensLosing: [...tokensLosing], tokensGaining: [...tokensGaining] };
}
