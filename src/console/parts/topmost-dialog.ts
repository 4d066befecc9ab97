import { useLayoutEffect, useState } from 'react';
import { SharedValue, useSharedValue } from './shared-value.ts';

/** The open dialogs, the newest last. */
const open = new SharedValue<readonly symbol[]>([]);

/** Whether no dialog was opened after the one that asks, which is open as long as it is rendered. */
export function useIsTopmost(): boolean {
  const [self] = useState(() => Symbol('dialog'));
  useLayoutEffect(() => {
    open.set([...open.present, self]);
    return () => open.set(open.present.filter((other) => other !== self));
  }, [self]);
  return useSharedValue(open, (dialogs) => !dialogs.includes(self) || dialogs.at(-1) === self);
}
