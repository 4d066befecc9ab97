import { createContext, type FormEvent, type ReactNode, useContext, useState } from 'react';
import type { FieldRule } from './field-rules.ts';

/** Whether the form around a field was sent once. Outside of a form there is no sending: then every problem is shown. */
const Tried = createContext(true);

interface CheckedFormProps {
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A form whose fields say what is wrong with them. While one does, it is not sent, and that field gets the focus. */
export function CheckedForm({ onSubmit, children }: CheckedFormProps) {
  const [isTried, setTried] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = event.currentTarget.querySelector<HTMLElement>(`[${problemAttribute}]`);
    setTried(field !== null);
    if (field === null) onSubmit();
    else field.focus();
  };
  return (
    <form noValidate onSubmit={submit}>
      <Tried value={isTried}>{children}</Tried>
    </form>
  );
}

const problemAttribute = 'data-problem';

interface FieldCheck {
  /** The problem to show at the field; null for none. */
  readonly error: string | null;
  /** For the field's input element. */
  readonly mark: Readonly<Record<typeof problemAttribute, true | undefined>>;
}

/** @param problemOf the problem of the field's present text; see {@link FieldRule} */
export function useFieldCheck(problemOf: (isDone: boolean) => string | null): FieldCheck {
  const isTried = useContext(Tried);
  const isWrong = problemOf(true) !== null;
  return { error: problemOf(isTried), mark: { [problemAttribute]: isWrong || undefined } };
}

/** A field without a rule has only to be filled in, if it is required. */
export function ruleOr(rule: FieldRule | undefined, isRequired: boolean): FieldRule {
  return rule ?? (isRequired ? filledIn : anything);
}

const anything: FieldRule = { problemOf: () => null };
const filledIn: FieldRule = { problemOf: (text, isDone) => (isDone && text === '' ? 'Fill this in.' : null) };
