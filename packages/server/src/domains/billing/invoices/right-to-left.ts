/**
 * Text in scripts that are written from right to left. The font engine joins and reverses the letters within a part;
 * this file splits a line into parts that each have one direction.
 */

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u

export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text)
}

export type VisualPart = { readonly text: string; readonly isRightToLeft: boolean }

/**
 * The parts of a line in the order in which they are drawn from left to right. A part contains words of one direction
 * in their original order: the font engine reverses right-to-left words.
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
