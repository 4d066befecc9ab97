import { isEmailAddress } from '../../domain/member/email.ts';
import { isStorableName, nameCodePointsMax } from '../../domain/name-rules.ts';
import { environmentNameRule, isEnvironmentName } from '../../domain/project/environment-name.ts';
import { textSchema } from './worded.ts';

/** Names of all kinds follow the rule for flag names, of stored ones too: an export is applied. They are stored trimmed. */
export const nameSchema = textSchema(
  `must be a string of 1 to ${nameCodePointsMax} characters without control characters`,
  (text) => isStorableName(text.trim()),
);

/** Environment names are identifiers (decisions). */
export const environmentNameSchema = textSchema(
  `must be an environment name: ${environmentNameRule}`,
  isEnvironmentName,
);

export const emailSchema = textSchema('must be an email address', isEmailAddress);
