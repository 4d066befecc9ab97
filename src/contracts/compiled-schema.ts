import type { Static, TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
// Not typebox/compile, which brings each operation on values there is: every thread would load them.
import { Compile } from 'typebox/schema';
import { Settings } from 'typebox/system';

/** Enough to fill the list of problems from one slice many times over, few enough to be quick. */
const errorsMax = 1000;

/** A schema made ready for many values. */
export interface CompiledSchema<Schema extends TSchema> {
  isRight(value: unknown): value is Static<Schema>;
  /** None for a right value; never more than a thousand. */
  errors(value: unknown): readonly TLocalizedValidationError[];
}

export function compileSchema<Schema extends TSchema>(schema: Schema): CompiledSchema<Schema> {
  const validator = Compile(schema);
  return {
    isRight: (value): value is Static<Schema> => validator.Check(value),
    errors: (value) => {
      if (validator.Check(value)) return [];
      // It counts for the thread, and is 8 until someone says otherwise.
      Settings.Set({ maxErrors: errorsMax });
      return validator.Errors(value)[1];
    },
  };
}
