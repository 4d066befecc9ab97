import { Modal, type ModalProps } from '@mantine/core';
import { useIsTopmost } from './topmost-dialog.ts';
import { useFocusBack } from './use-focus-back.ts';

/** A dialog that is there as long as it is rendered. Where several are open, keys reach the newest. */
export function Dialog({ closeOnEscape = true, ...props }: Omit<ModalProps, 'opened' | 'trapFocus'>) {
  const isTopmost = useIsTopmost();
  useFocusBack();
  return <Modal opened closeOnEscape={closeOnEscape && isTopmost} trapFocus={isTopmost} {...props} />;
}
