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

/** Mantine's own names for the roles of `console.css`. */
export const consoleColours: CSSVariablesResolver = () => {
  const roles = {
    '--mantine-color-body': 'var(--page)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--quiet)',
    '--mantine-color-error': 'var(--danger)',
    '--mantine-color-default': 'var(--raised)',
    '--mantine-color-default-color': 'var(--ink)',
    '--mantine-color-default-hover': 'var(--hover)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-anchor': 'var(--accent)',
    '--mantine-color-disabled': 'var(--off-soft)',
    '--mantine-color-disabled-color': 'var(--quiet)',
    '--mantine-color-disabled-border': 'var(--line)',
  };
  return {
    variables: {},
    light: { ...roles, '--mantine-color-placeholder': '#6b7688' },
    dark: { ...roles, '--mantine-color-placeholder': '#8793a6' },
  };
};
