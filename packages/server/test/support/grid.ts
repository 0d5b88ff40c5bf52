/** A drawn table as test cases: one per cell, so that a test of a machine can be read as a picture. */
import { assert } from '../../src/kernel/assert.ts'

type Cell<Row extends string, Column extends string> = {
  readonly row: Row
  readonly column: Column
  readonly cell: string
}

/** The first line names the columns, the first cell of each further line its row. */
export function grid<Row extends string, Column extends string>(text: string): Cell<Row, Column>[] {
  const [head, ...body] = text.trim().split('\n').map(cellsOf)
  assert(head !== undefined && body.length > 0, 'A grid has a line of columns and at least one row.')
  const [, ...columns] = head
  return body.flatMap(([row = '', ...cells]) => {
    // A cell too few would silently leave a case untested.
    assert(cells.length === columns.length, `The row "${row}" of the grid has not one cell per column.`)
    return cells.map((cell, index) => ({ row: row as Row, column: columns[index] as Column, cell }))
  })
}

function cellsOf(line: string): string[] {
  const cells = line.trim().split('|')
  return cells.slice(1, -1).map((cell) => cell.trim())
}
