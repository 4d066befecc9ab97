import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

/** The flag of the logo, from paper to ink: the console's one accent. */
const burgee: MantineColorsTuple = [
  '#fff5ed',
  '#ffe8d6',
  '#ffcfae',
  '#ffb07c',
  '#ff9a5c',
  '#fb7f37',
  '#e2590f',
  '#c2410c',
  '#9f350d',
  '#7f2d10',
];

/** The dark scheme's greys, a little blue like the panels behind them. */
const dark: MantineColorsTuple = [
  '#e3e8ef',
  '#c3ccd8',
  '#9aa6b8',
  '#78859a',
  '#46525f',
  '#343e4c',
  '#1f2630',
  '#171c24',
  '#12161c',
  '#0d1116',
];

/** Two variants for what destroys: `danger` asks first, `danger-filled` confirms. */
const variantColours: VariantColorsResolver = (input) => {
  if (input.variant === 'danger') {
    return {
      background: 'var(--raised)',
      hover: 'var(--danger-soft)',
      color: 'var(--danger)',
      border: '1px solid var(--danger-line)',
    };
  }
  if (input.variant === 'danger-filled') {
    return {
      background: 'var(--danger-solid)',
      hover: 'var(--danger-solid-hover)',
      color: '#ffffff',
      border: '1px solid transparent',
    };
  }
  return defaultVariantColorsResolver(input);
};

export const consoleTheme = createTheme({
  variantColorResolver: variantColours,
  primaryColor: 'burgee',
  primaryShade: 7,
  colors: { burgee, dark },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { fw: 500 } },
    CloseButton: { defaultProps: { variant: 'subtle' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close' },
        // The header of a dialog is no landmark of the page, and another dialog may lie on top of it.
        attributes: { header: { role: 'presentation' } },
      },
    },
    // Beside its button it stays within the page's landmarks, and its first item gets the focus.
    Menu: { defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { openDelay: 300 } },
    Select: { defaultProps: { comboboxProps: { shadow: 'md' } } },
  },
});

/** Colours in which small text is legible on every surface (contrast 4.5 and more). */
export const consoleColours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1c2430',
    '--mantine-color-dimmed': '#566173',
    '--mantine-color-placeholder': '#6b7688',
    '--mantine-color-error': '#c02626',
    '--mantine-color-default-color': '#1c2430',
    '--mantine-color-default-border': '#d5dbe4',
    '--mantine-color-anchor': '#b23a0a',
  },
  dark: {
    '--mantine-color-body': '#12161c',
    '--mantine-color-text': '#e3e8ef',
    '--mantine-color-dimmed': '#9aa6b8',
    '--mantine-color-placeholder': '#8793a6',
    '--mantine-color-error': '#ff8f8f',
    '--mantine-color-default': '#1b212b',
    '--mantine-color-default-color': '#e3e8ef',
    '--mantine-color-default-hover': '#232b37',
    '--mantine-color-default-border': '#343e4c',
    '--mantine-color-anchor': '#ff9a5c',
  },
});
