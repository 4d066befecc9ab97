import { Button, type ButtonProps, type ElementProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

type SmallButtonProps = ButtonProps & ElementProps<'button', keyof ButtonProps>;

/** A button within a row, a card or a line of text. */
export function SmallButton(props: SmallButtonProps) {
  return <Button size="compact-sm" variant="default" {...props} />;
}

interface CopyButtonProps {
  readonly value: string;
  /** Names what is copied, for screen readers. */
  readonly what: string;
}

export function CopyButton({ value, what }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 2_000 });
  return (
    <SmallButton
      aria-label={clipboard.copied ? `${what} copied` : `Copy ${what}`}
      onClick={() => clipboard.copy(value)}
    >
      {clipboard.copied ? 'Copied' : 'Copy'}
    </SmallButton>
  );
}
