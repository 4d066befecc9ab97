import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useState,
} from 'react';
import { Failure } from './callout.tsx';
import { bringUnder, type Place } from './last-press.ts';
import { SafeName } from './safe-name.tsx';
import { SharedValue, useSharedValue } from './shared-value.ts';
import { TextField } from './text-field.tsx';
import { visibleName } from './visible-name.ts';

/** Id of the element with a page's own content, beside the navigation. */
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

/**
 * Gives the focus back when the calling dialog is unmounted: Mantine does so only for a dialog that was closed first.
 * If the element that had the focus is gone, the page's content gets it, so that Tab does not begin at the navigation.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement);
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

/** A dialog that is open while it is rendered. If several are open, keys go to the newest. */
export function Dialog({ closeOnEscape = true, title, ...props }: Omit<ModalProps, 'opened' | 'trapFocus'>) {
  const isTopmost = useIsTopmost();
  useFocusBack();
  return (
    <Modal
      opened
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

/** The second press of a double click must not answer a question that the first one asked. */
const doublePressMs = 400;

/**
 * Brings a button of a dialog below the pointer that has asked.
 * @param at null: the dialog stays in the middle
 * @returns for the button; whether it may be pressed yet, and whether it stands above the words for want of room
 */
function useUnderPointer(at: Place | null) {
  // The portal of a dialog renders it later.
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const [isReady, setReady] = useState(at === null);
  const [isFirst, setFirst] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button has another place then.
  useLayoutEffect(() => {
    if (at === null || button === null) return;
    const dialog = button.closest<HTMLElement>('[role=dialog]');
    if (dialog !== null && bringUnder(at, dialog, button)) setFirst(true);
  }, [at, button, isFirst]);
  useEffect(() => {
    if (isReady) return;
    const timer = setTimeout(() => setReady(true), doublePressMs);
    return () => clearTimeout(timer);
  }, [isReady]);
  return { setButton, isReady, isFirst };
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: string;
  readonly cancel?: string;
  readonly isDangerous?: boolean;
  /** Must be typed exactly, or as it is shown, before the button is enabled. */
  readonly typedName?: string;
  readonly isBusy?: boolean;
  readonly error?: unknown;
  /** Where the pointer pressed that asked: the button to confirm opens below it. Null: in the middle, as without. */
  readonly at?: Place | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirm, cancel = 'Cancel', isDangerous = false, typedName } = props;
  const { isBusy = false, at = null } = props;
  const { setButton, isFirst, isReady: isPastDoublePress } = useUnderPointer(at);
  const [typed, setTyped] = useState('');
  const isReady = typedName === undefined || [typedName, visibleName(typedName)].includes(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && isPastDoublePress) props.onConfirm();
  };
  return (
    <Dialog onClose={props.onClose} title={title}>
      <form onSubmit={submit}>
        <Stack gap="md" style={isFirst ? { flexDirection: 'column-reverse' } : {}}>
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
              ref={setButton}
              type="submit"
              aria-disabled={isPastDoublePress ? undefined : true}
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
