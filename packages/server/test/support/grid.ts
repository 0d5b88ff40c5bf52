/** Parses a table in text form into test cases, one per cell. */
import { assert } from '../../src/kernel/assert.ts'

type Cell<Row extends string, Column extends string> = {
  readonly row: Row
  readonly column: Column
  readonly cell: string
}

/**
 * The first line has the names of the columns, and the first cell of each other line is the name of its row.
 */
export function grid<Row extends string, Column extends string>(text: string): Cell<Row, Column>[] {
  const [head, ...body] = text.trim().split('\n').map(splitCells)
  assert(head !== undefined && body.length > 0, 'A grid must have a line of columns and at least one row.')
  const [, ...columns] = head
  return body.flatMap(([row = '', ...cells]) => {
    // A missing cell would leave a case untested without an error.
    assert(cells.length === columns.length, `The row "${row}" of the grid does not have one cell per column.`)
    return cells.map((cell, index) => ({ row: row as Row, column: columns[index] as Column, cell }))
  })
}

function splitCells(line: string): string[] {
  const cells = line.trim().split('|')
  return cells.slice(1, -1).map((cell) => cell.trim())
}
