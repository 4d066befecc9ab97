import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';

const order: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];
const words = { auto: 'as the system', light: 'light', dark: 'dark' };
const paths = {
  auto: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  dark: 'M13.5 9.6A6 6 0 1 1 6.4 2.5a4.8 4.8 0 0 0 7.1 7.1z',
};

/** The next one in the cycle: as the system, light, dark. */
export function useNextScheme(): { readonly current: MantineColorScheme; readonly advance: () => void } {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = order[(order.indexOf(colorScheme) + 1) % order.length] ?? 'auto';
  return { current: colorScheme, advance: () => setColorScheme(next) };
}

export function SchemeToggle() {
  const { current, advance } = useNextScheme();
  const label = `Colours: ${words[current]}`;
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} title={label} onClick={advance}>
      <svg viewBox="0 0 16 16" width="17" height="17" aria-hidden="true">
        <path
          d={paths[current]}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.4"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </ActionIcon>
  );
}
