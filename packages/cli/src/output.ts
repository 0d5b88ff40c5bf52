/**
 * Results go to standard output, as text or with `--json` as JSON. Everything else goes to standard error, so that a
 * pipe only receives results. Colour and progress lines are only used on terminals.
 */
import { styleText } from 'node:util'
import { isTerminal, usesColour } from './environment.ts'

type Style = Parameters<typeof styleText>[0]

export type Output = {
  readonly json: boolean
  /** Prints a result: `value` with `--json`, otherwise `text`. */
  result(value: unknown, text: string | (() => string)): void
  /** Prints one of many results as one line. */
  line(value: unknown, text: string): void
  /** Prints information for people on standard error. Nothing with `--json`. */
  note(text: string): void
  /** Prints a warning on standard error, even with `--json`. */
  warn(text: string): void
  /** Updates the progress line in place. Nothing without a terminal. */
  progress(text: string): void
  /** Clears the progress line. */
  clearProgress(): void
}

export function createOutput(json: boolean): Output {
  const print = (text: string) => process.stdout.write(`${text}\n`)
  const showsProgress = isTerminal(process.stderr) && !json
  const clearProgress = () => void (showsProgress && process.stderr.write('\r\u001b[2K'))
  const printNote = (text: string) => {
    clearProgress()
    process.stderr.write(`${text}\n`)
  }
  return {
    json,
    result: (value, text) =>
      print(json ? JSON.stringify(value, null, 2) : typeof text === 'string' ? text : text()),
    line(value, text) {
      clearProgress()
      print(json ? JSON.stringify(value) : text)
    },
    note: (text) => void (json || printNote(text)),
    warn: printNote,
    progress: (text) =>
      void (
        showsProgress && process.stderr.write(`\r\u001b[2K${text.slice(0, process.stderr.columns ?? 80)}`)
      ),
    clearProgress,
  }
}

/** Styles the text on a terminal with colours; elsewhere returns it unchanged. */
export function styled(style: Style, text: string): string {
  return usesColour() ? styleText(style, text, { validateStream: false }) : text
}

/** `[=====     ] 50 of 100`. */
export function progressBar(done: number, total: number, width = 24): string {
  const filled = total === 0 ? width : Math.round((Math.min(done, total) / total) * width)
  return `[${'='.repeat(filled)}${' '.repeat(width - filled)}] ${done} of ${total}`
}

type Cell = string | number | null | undefined

/** Formats a table. Each column is as wide as its widest cell. */
export function formatTable(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [names, ...rows.map((row) => row.map((cell) => String(cell ?? '-')))]
  const widths = names.map((_, column) => Math.max(...texts.map((row) => widthOf(row[column] ?? ''))))
  return texts
    .map((row, index) => {
      const line = row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd()
      return index === 0 ? styled('bold', line) : line
    })
    .join('\n')
}

/** Formats an object with one member per line. Nested members are indented. */
export function formatDetails(value: object, indent = ''): string {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  const width = Math.max(
    0,
    ...entries.filter(([, member]) => !hasMembers(member)).map(([name]) => name.length),
  )
  return entries
    .map(([name, member]) =>
      hasMembers(member)
        ? `${indent}${name}\n${formatDetails(member, `${indent}  `)}`
        : `${indent}${name.padEnd(width)}  ${formatValue(member)}`,
    )
    .join('\n')
}

function hasMembers(member: unknown): member is object {
  return typeof member === 'object' && member !== null && Object.keys(member).length > 0
}

function formatValue(member: unknown): string {
  if (member === null) return '-'
  return typeof member === 'object' ? (Array.isArray(member) ? 'none' : '-') : String(member)
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** The width of a string in terminal columns: wide characters take two, combining marks none. */
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
