/**
 * What is written, and where. Results go to standard output, in words or with `--json` as JSON; everything else
 * goes to the other stream, so that a pipe holds results alone. Colour and moving lines are for terminals.
 */
import { styleText } from 'node:util'
import { isTerminal, usesColour } from './environment.ts'

type Style = Parameters<typeof styleText>[0]

export type Output = {
  readonly json: boolean
  /** A result: the API's own body with `--json`, else the words. */
  result(value: unknown, words: string | (() => string)): void
  /** One of many: a line of JSON, or a line of words. */
  line(value: unknown, words: string): void
  /** Beside the results, for people. With `--json` it stays unsaid. */
  note(words: string): void
  /** Beside the results, also with `--json`: what somebody has to know before anything happens. */
  warn(words: string): void
  /** Says how far a long work has come, in place. Nothing without a terminal. */
  progress(words: string): void
  /** Takes the moving line away. */
  settle(): void
}

export function createOutput(json: boolean): Output {
  const print = (text: string) => process.stdout.write(`${text}\n`)
  const moves = isTerminal(process.stderr) && !json
  const settle = () => void (moves && process.stderr.write('\r\u001b[2K'))
  const say = (words: string) => {
    settle()
    process.stderr.write(`${words}\n`)
  }
  return {
    json,
    result: (value, words) =>
      print(json ? JSON.stringify(value, null, 2) : typeof words === 'string' ? words : words()),
    line(value, words) {
      settle()
      print(json ? JSON.stringify(value) : words)
    },
    note: (words) => void (json || say(words)),
    warn: say,
    progress: (words) =>
      void (moves && process.stderr.write(`\r\u001b[2K${words.slice(0, process.stderr.columns ?? 80)}`)),
    settle,
  }
}

/** For a terminal that shows colours; elsewhere the words as they are. */
export function styled(style: Style, words: string): string {
  return usesColour() ? styleText(style, words, { validateStream: false }) : words
}

/** `[=====     ] 50 of 100`. */
export function barOf(done: number, total: number, width = 24): string {
  const full = total === 0 ? width : Math.round((Math.min(done, total) / total) * width)
  return `[${'='.repeat(full)}${' '.repeat(width - full)}] ${done} of ${total}`
}

type Cell = string | number | null | undefined

/** Columns under their names, as wide as what stands in them. */
export function tableOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [names, ...rows.map((row) => row.map((cell) => String(cell ?? '-')))]
  const widths = names.map((_, column) => Math.max(...texts.map((row) => widthOf(row[column] ?? ''))))
  return texts
    .map((row, place) => {
      const line = row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd()
      return place === 0 ? styled('bold', line) : line
    })
    .join('\n')
}

/** Members one below the other; what is inside of one is indented. */
export function detailsOf(value: object, indent = ''): string {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  const width = Math.max(0, ...entries.filter(([, member]) => !isDeep(member)).map(([name]) => name.length))
  return entries
    .map(([name, member]) =>
      isDeep(member)
        ? `${indent}${name}\n${detailsOf(member, `${indent}  `)}`
        : `${indent}${name.padEnd(width)}  ${wordsOf(member)}`,
    )
    .join('\n')
}

function isDeep(member: unknown): member is object {
  return typeof member === 'object' && member !== null && Object.keys(member).length > 0
}

function wordsOf(member: unknown): string {
  if (member === null) return '-'
  return typeof member === 'object' ? (Array.isArray(member) ? 'none' : '-') : String(member)
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** How many columns of a terminal a text takes: wide letters take two, marks that combine none. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text.normalize()) {
    if (/\p{Mark}/u.test(letter)) continue
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
        letter,
      )
        ? 2
        : 1
  }
  return width
}
