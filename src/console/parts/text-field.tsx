import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';

type Texted<Props> = Omit<Props, 'onChange'> & { readonly onText: (text: string) => void };

/** A line of text. */
export function TextField({ onText, ...props }: Texted<TextInputProps>) {
  return <TextInput {...props} onChange={(event) => onText(event.currentTarget.value)} />;
}

/** The email with which somebody signs in. */
export function EmailField(props: Pick<Texted<TextInputProps>, 'value' | 'onText'>) {
  return <TextField label="Email" type="email" autoComplete="username" required {...props} />;
}

export function PasswordField({ onText, ...props }: Texted<PasswordInputProps>) {
  return <PasswordInput required {...props} onChange={(event) => onText(event.currentTarget.value)} />;
}

/** A new password; the service decides about its length. */
export function NewPasswordField(props: Pick<Texted<PasswordInputProps>, 'value' | 'onText'>) {
  return (
    <PasswordField
      label="New password"
      description="12 characters or more"
      autoComplete="new-password"
      minLength={12}
      {...props}
    />
  );
}
