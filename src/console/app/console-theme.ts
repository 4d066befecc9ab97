import {
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

/** Two variants for actions that destroy: `danger` opens a question, `danger-filled` confirms it. */
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
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-monospace)',
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
        // The header of a dialog is not a landmark of the page, and another dialog may cover it.
        attributes: { header: { role: 'presentation' } },
      },
    },
    // Next to its button it stays within the page's landmarks, and its first item gets the focus.
    Menu: { defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { openDelay: 300 } },
    Select: { defaultProps: { comboboxProps: { shadow: 'md' } } },
  },
});
