import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for those who hear the page. */
  readonly what: string;
}

export function CopyButton({ value, what }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 2_000 });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={clipboard.copied ? `${what} copied` : `Copy ${what}`}
      onClick={() => clipboard.copy(value)}
    >
      {clipboard.copied ? 'Copied' : 'Copy'}
    </Button>
  );
}
