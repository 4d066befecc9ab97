import { isFlagName, nameCodePointsMax } from '../../domain/flag/flag-labels.ts';
import { isEmailAddress } from '../../domain/member/email.ts';
import { textSchema } from './worded.ts';

/** Names of all kinds follow the rule for flag names; they are stored trimmed. */
export const nameSchema = textSchema(
  `must be a string of 1 to ${nameCodePointsMax} characters without control characters`,
  (text) => isFlagName(text.trim()),
);

/** Environment names are identifiers (decisions). */
export const environmentNameSchema = textSchema(
  'must be an environment name: 1 to 64 characters of a-z, 0-9, "-", "_" and "."',
  (text) => /^[a-z0-9._-]{1,64}$/.test(text),
);

export const emailSchema = textSchema('must be an email address', isEmailAddress);
