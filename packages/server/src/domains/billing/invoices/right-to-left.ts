/**
 * Text in scripts that are written from right to left. Fonts join and reverse the letters of a part; this file splits
 * a line into parts of one direction.
 */

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u

export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text)
}

export type VisualPart = { readonly text: string; readonly isRightToLeft: boolean }

/**
 * The parts of a line in the order in which they are drawn from left to right. A part has words of one direction, and
 * keeps their order: the font reverses those from right to left.
 */
export function visualParts(line: string): VisualPart[] {
  const parts: VisualPart[] = []
  for (const word of line.split(' ')) {
    // A dash between two dates separates them, so it follows the direction of the line.
    const isRightToLeft = hasRightToLeft(word) || word === '–' || word === '·'
    const last = parts.at(-1)
    if (last?.isRightToLeft === isRightToLeft)
      parts[parts.length - 1] = { ...last, text: `${last.text} ${word}` }
    else parts.push({ text: word, isRightToLeft })
  }
  return parts.toReversed()
}
