import {
  PasswordInput,
  type PasswordInputProps,
  TagsInput,
  type TagsInputProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { ruleOr, useFieldCheck } from './checked-form.tsx';
import {
  emailRule,
  type FieldRule,
  lengthOf,
  listProblem,
  newPasswordRule,
  passwordRule,
} from './field-rules.ts';
import classes from './text-field.module.css';
import { hasHiddenCharacter, visibleName } from './visible-name.ts';
import { numberWords } from './words.ts';

interface Checked {
  readonly onText: (text: string) => void;
  /** The rule for its text. Without a rule, a required field must be filled in. */
  readonly rule?: FieldRule | undefined;
}

type Texted<Props> = Omit<Props, 'onChange' | 'value' | 'error'> & Checked & { readonly value: string };

/** Nothing is counted in a field that is far from its end, unless it has the focus. */
const nearShare = 0.8;

function Count({ value, max }: { readonly value: string; readonly max: number }) {
  const length = lengthOf(value.trim());
  return (
    <span
      className={classes.count}
      data-near={length >= max * nearShare || undefined}
      data-over={length > max || undefined}
      aria-hidden="true"
    >
      {numberWords(length)} / {numberWords(max)}
    </span>
  );
}

interface TextFieldProps extends Texted<TextInputProps> {
  /** A hint below the field, also read aloud. It is not a problem. */
  readonly note?: ReactNode;
}

/** A line of text. */
export function TextField({ onText, rule, note, ...props }: TextFieldProps) {
  const { value, required = false } = props;
  const checked = ruleOr(rule, required);
  const { error, mark } = useFieldCheck((isDone) => checked.problemOf(value, isDone));
  const isHidden = rule !== undefined && error === null && hasHiddenCharacter(value);
  const count =
    rule?.max === undefined || value === ''
      ? {}
      : {
          rightSection: <Count value={value} max={rule.max} />,
          rightSectionWidth: '4.6rem',
          rightSectionPointerEvents: 'none' as const,
        };
  const field = (
    <TextInput
      {...count}
      {...mark}
      {...props}
      error={error}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
  if (note === undefined && !isHidden) return field;
  return (
    <div>
      {field}
      <div className={classes.note} role="status">
        {isHidden && <span>It contains an invisible character: {visibleName(value)}</span>}
        {note}
      </div>
    </div>
  );
}

/** Several lines of text. */
export function LongTextField({ onText, rule, ...props }: Texted<TextareaProps>) {
  const { value, required = false } = props;
  const checked = ruleOr(rule, required);
  const { error, mark } = useFieldCheck((isDone) => checked.problemOf(value, isDone));
  const max = rule?.max;
  return (
    <Textarea
      {...mark}
      {...props}
      error={error}
      inputContainer={(input) => (
        <div className={classes.long}>
          {input}
          {max !== undefined && value !== '' && <Count value={value} max={max} />}
        </div>
      )}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}

interface ListFieldProps extends Omit<TagsInputProps, 'error' | 'onChange' | 'value'> {
  readonly items: Parameters<typeof listProblem>[1];
  readonly value: string[];
  readonly onChange: (items: string[]) => void;
}

/** Several short texts, entered one after another. */
export function ListField({ items, ...props }: ListFieldProps) {
  const { error, mark } = useFieldCheck(() => listProblem(props.value, items));
  // The service compares case; Mantine's lists do not.
  const isDuplicate = (item: string, present: string[]) => present.includes(item);
  return <TagsInput isDuplicate={isDuplicate} {...mark} {...props} error={error} />;
}

/** The email of a member's sign-in. */
export function EmailField(props: Pick<Texted<TextInputProps>, 'value' | 'onText' | 'autoFocus'>) {
  return (
    <TextField label="Email" type="email" autoComplete="username" required rule={emailRule} {...props} />
  );
}

export function PasswordField({ onText, rule = passwordRule, ...props }: Texted<PasswordInputProps>) {
  const { error, mark } = useFieldCheck((isDone) => rule.problemOf(props.value, isDone));
  return (
    <PasswordInput
      required
      {...mark}
      {...props}
      error={error}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}

/** A new password. Its length is the only rule. */
export function NewPasswordField(props: Pick<Texted<PasswordInputProps>, 'value' | 'onText'>) {
  return (
    <PasswordField
      label="New password"
      description="12 characters or more"
      autoComplete="new-password"
      rule={newPasswordRule}
      {...props}
    />
  );
}
