import { Switch } from '@mantine/core';
import { usePreference, usePreferenceStore } from '../parts/use-preferences.ts';

/** Turns shortcuts of a single key on and off, for this member in this browser. */
export function SingleKeysSwitch() {
  const store = usePreferenceStore();
  const hasSingleKeys = usePreference((present) => present.hasSingleKeys);
  return (
    <Switch
      label="Single-key shortcuts"
      description="/, U and ? act without Ctrl"
      checked={hasSingleKeys}
      onChange={(event) => store.change({ hasSingleKeys: event.currentTarget.checked })}
    />
  );
}
