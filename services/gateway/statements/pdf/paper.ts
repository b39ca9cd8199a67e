import type { Style } from './typesetter.ts';

/** A4, in points of 1/72 inch; what prints fit without cropping on most printers. */
export const PAGE_WIDTH = 595.28;
export const PAGE_HEIGHT = 841.89;
export const MARGIN = 42;
export const TEXT_WIDTH = PAGE_WIDTH - 2 * MARGIN;

/** Where the table and all above it end, and the footer begins. */
export const BODY_BOTTOM = PAGE_HEIGHT - 58;
export const FOOTER_TOP = PAGE_HEIGHT - 44;

/** Prints well in black and white: the accent is dark enough for it. */
export const COLORS = { ink: '#1b1f24', soft: '#5b6470', accent: '#0b4f4a', line: '#c9d0d6', tint: '#eef3f2' } as const;

export const STYLES = {
  title: { face: 'bold', size: 19, color: COLORS.ink },
  subtitle: { face: 'regular', size: 12, color: COLORS.accent },
  label: { face: 'regular', size: 8, color: COLORS.soft },
  value: { face: 'regular', size: 9.5, color: COLORS.ink },
  figure: { face: 'bold', size: 11, color: COLORS.ink },
  head: { face: 'bold', size: 8, color: '#ffffff' },
  cell: { face: 'regular', size: 8.5, color: COLORS.ink },
  strong: { face: 'bold', size: 8.5, color: COLORS.ink },
  note: { face: 'regular', size: 7.5, color: COLORS.soft },
  hash: { face: 'mono', size: 8, color: COLORS.ink },
} as const satisfies Record<string, Style>;
