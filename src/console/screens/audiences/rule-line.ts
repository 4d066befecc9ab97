import type { AudienceRule } from '../../../domain/evaluation/audience.ts';
import { writtenValue } from '../../parts/value-text.ts';

const valuesShownMax = 4;

/** `plan is pro or team`. */
export function ruleLine({ attribute, values }: AudienceRule): string {
  const shown = values.slice(0, valuesShownMax).map(writtenValue).join(' or ');
  const rest = values.length - valuesShownMax;
  return `${attribute} is ${shown}${rest > 0 ? ` or ${rest} more` : ''}`;
}
