import { isName, nameCodePointsMax } from '../../domain/name-rules.ts';
import { environmentNameRule, isEnvironmentName } from '../../domain/project/environment-name.ts';
import { textSchema } from './worded.ts';

/** Names of all kinds follow the rule for flag names; they are stored trimmed. */
export const nameSchema = textSchema(
  `must be a string of 1 to ${nameCodePointsMax} characters without control characters`,
  (text) => isName(text.trim()),
);

/** Environment names are identifiers (decisions). */
export const environmentNameSchema = textSchema(
  `must be an environment name: ${environmentNameRule}`,
  isEnvironmentName,
);

/** The longest address that mail can be sent to (RFC 5321). */
const emailCharsMax = 254;

export const emailSchema = textSchema(
  'must be an email address',
  (text) => text.length <= emailCharsMax && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text),
);
