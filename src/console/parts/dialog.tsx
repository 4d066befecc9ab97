import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import {
  type FormEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useState,
} from 'react';
import { Failure } from './callout.tsx';
import classes from './dialog.module.css';
import { SafeName } from './safe-name.tsx';
import { SharedValue, useSharedValue } from './shared-value.ts';
import { TextField } from './text-field.tsx';
import { visibleName } from './visible-name.ts';

/** Id of the element with a page's own content, without the navigation. */
export const contentId = 'content';

/** The open dialogs, the newest last. */
const openDialogs = new SharedValue<readonly symbol[]>([]);

/** Whether the calling dialog is the newest one. A dialog is open while it is rendered. */
export function useIsTopmost(): boolean {
  const [self] = useState(() => Symbol('dialog'));
  useLayoutEffect(() => {
    openDialogs.set([...openDialogs.present, self]);
    return () => openDialogs.set(openDialogs.present.filter((other) => other !== self));
  }, [self]);
  return useSharedValue(openDialogs, (dialogs) => !dialogs.includes(self) || dialogs.at(-1) === self);
}

/** The button of a menu stands for its items, which are gone when a dialog closes. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
}

/**
 * Gives the focus back when the calling dialog is unmounted: Mantine does so only for a dialog that was closed first.
 * If the element that had the focus is gone, the page's content gets it, so that Tab does not begin at the navigation.
 */
export function useFocusBack(): void {
  const [before] = useState(() => openerOf(document.activeElement));
  useEffect(() => {
    return () => {
      const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
      if (isThere) before.focus({ preventScroll: true });
      else if (document.activeElement === document.body) {
        document.getElementById(contentId)?.focus({ preventScroll: true });
      }
    };
  }, [before]);
}

/** The key that opened a dialog may still be held: it must not press the button that has the focus there. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter' && event.target instanceof HTMLButtonElement)
    event.preventDefault();
}

/** The second press of a double click must not answer the question that the first one asked. */
function ignoreDoubleClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}

/** The edge of the window that is farther from the element with the focus; null without one. */
function fartherEdge(): 'top' | 'bottom' | null {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return null;
  const { top, bottom } = focused.getBoundingClientRect();
  return (top + bottom) / 2 > window.innerHeight / 2 ? 'top' : 'bottom';
}

interface DialogProps extends Omit<ModalProps, 'opened' | 'trapFocus'> {
  /** It is a question about the control that was pressed, which it must not cover. */
  readonly isAside?: boolean;
}

/** A dialog that is open while it is rendered. If several are open, keys go to the newest. */
export function Dialog({ closeOnEscape = true, title, isAside = false, ...props }: DialogProps) {
  const isTopmost = useIsTopmost();
  const [edge] = useState(() => (isAside ? fartherEdge() : null));
  useFocusBack();
  return (
    <Modal
      opened
      data-question
      centered={edge !== 'top'}
      {...(edge === 'bottom' && { classNames: { inner: classes.atBottom } })}
      closeOnEscape={closeOnEscape && isTopmost}
      trapFocus={isTopmost}
      onKeyDown={ignoreHeldEnter}
      title={typeof title === 'string' ? <SafeName name={title} /> : title}
      {...props}
    />
  );
}

/** A dialog that opens gives the focus to a harmless button. */
function focusIf(isFirst: boolean) {
  return isFirst ? { 'data-autofocus': true } : {};
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: string;
  readonly cancel?: string;
  readonly isDangerous?: boolean;
  /** Must be typed exactly, or as it is shown, before the button is enabled. */
  readonly typedName?: string;
  readonly isAside?: boolean;
  readonly isBusy?: boolean;
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, cancel = 'Cancel', isDangerous = false, typedName } = props;
  const { isBusy = false } = props;
  const [typed, setTyped] = useState('');
  const isReady = typedName === undefined || [typedName, visibleName(typedName)].includes(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) props.onConfirm();
  };
  return (
    <Dialog
      closeOnClickOutside={false}
      isAside={props.isAside === true}
      onClose={props.onClose}
      title={title}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>{children}</div>
          {typedName !== undefined && (
            <TextField
              label={
                <>
                  Type{' '}
                  <strong>
                    <SafeName name={typedName} />
                  </strong>{' '}
                  to confirm
                </>
              }
              value={typed}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              onText={setTyped}
            />
          )}
          <Failure error={props.error} />
          <Group justify="flex-end">
            <Button
              variant="default"
              {...focusIf(typedName === undefined && isDangerous)}
              onClick={props.onClose}
            >
              {cancel}
            </Button>
            <Button
              type="submit"
              onClick={ignoreDoubleClick}
              {...focusIf(typedName === undefined && !isDangerous)}
              variant={isDangerous ? 'danger-filled' : 'filled'}
              loading={isBusy}
              disabled={!isReady}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
