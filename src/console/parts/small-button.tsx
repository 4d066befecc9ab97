import { Button, type ButtonProps, type ElementProps } from '@mantine/core';
import { useCopy } from './use-copy.ts';

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

const labels = { idle: 'Copy', copied: 'Copied', failed: 'Not copied' };

export function CopyButton({ value, what }: CopyButtonProps) {
  const { copy, state } = useCopy();
  const label = {
    idle: `Copy ${what}`,
    copied: `${what} copied`,
    failed: `${what} not copied: select it and copy it`,
  };
  return (
    <SmallButton
      aria-label={label[state]}
      title={state === 'failed' ? label.failed : undefined}
      onClick={() => copy(value)}
    >
      {labels[state]}
    </SmallButton>
  );
}
