/** Formats a table: text left-aligned, numbers right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const texts = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)))
  const isFigure = (column: number) =>
    rows.every((row) => typeof row[column] === 'number' || row[column] === '')
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        isFigure(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  const [first = [], ...rest] = texts
  return [line(first), rule, ...rest.map(line)].join('\n')
}
